"""Workload: what may be asked of a synopsis, declared before the data are opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from ..domain import Domain

__all__ = ["Workload"]


class Workload(ABC):
    """A class of questions. A frozen dataclass whose fields are the arguments of its text form."""

    name: ClassVar[str]

    @abstractmethod
    def check(self, domain: Domain) -> None:
        """BadPlan when the domain cannot carry this workload."""

    def __str__(self) -> str:
        fields = ", ".join(f"{key}={value}" for key, value in self.__dict__.items() if value is not None)
        return f"{self.name}({fields})"
