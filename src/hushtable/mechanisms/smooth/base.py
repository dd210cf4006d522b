"""What all mechanisms for smooth questions share: the workload they answer, and how their forecast reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from ...questions.workloads.smooth import Smooth
from ..base import Mechanism

if TYPE_CHECKING:
    from ..plans import Plan

__all__ = ["SmoothMechanism"]

P = TypeVar("P")


class SmoothMechanism(Mechanism[P]):
    """Answers means of smooth functions; its forecast is one line of noise and bias."""

    answers = (Smooth,)
    resolves: ClassVar[bool] = True
    """Whether any question can be asked, down to features of the length scale."""

    def forecast_lines(self, plan: Plan) -> list[str]:
        from .text import smooth_forecast

        return smooth_forecast(plan, resolves=self.resolves)
