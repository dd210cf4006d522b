"""A curator is one thing for every subject: what is asked, and what is believed of it, is an object it is given."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from curators import CODES, PURE, RICH, ROWS, SHAPE

import hushtable as ht
from hushtable.curator.account import StateAccount
from hushtable.curator.conditions import ConditionSubject
from hushtable.curator.curator import Curator
from hushtable.curator.lists import ListSubject
from hushtable.curator.subject import Asked, PaidAnswer, Subject
from hushtable.models.base import Model
from hushtable.models.weighted.calibration import WeightedCalibration
from hushtable.questions.lists import Listed
from hushtable.questions.parse import Question
from hushtable.vault.held_rows import HeldRows
from hushtable.vault.ledger.account import Rehearsal
from hushtable.vault.ledger.sealed_lines import Chain
from hushtable.vault.statistics import ChosenTables, OneQuestion, Statistic


class OneColumn(Subject):
    """A toy: how many rows have a code of the first column; the hypothesis is the last answer to the same question."""

    grain, unlearned, rows_stderr = 1, "", 0.0
    rows = 0

    def __init__(self) -> None:
        self.shares: dict[int, float] = {}

    def start(self) -> Statistic:
        return ChosenTables(SHAPE.sizes, [(0,)])

    def remember(self, state: Chain) -> dict[Hashable, PaidAnswer]:
        start = state.first("start")
        assert start is not None
        self.rows = start["rows"]
        return {}

    def parse(self, text: str) -> Question:
        return Question(text=text)

    def asked(self, question: Question | Listed) -> Asked:
        return OneCode(self, int(question.text))

    def read_list(self, path: str | Path) -> Listed:
        raise NotImplementedError

    def check_freeze(self) -> None:
        raise NotImplementedError

    def distribution(self) -> None:
        """None: nothing is calibrated."""

    def model(self, calibration: WeightedCalibration | None) -> Model:
        raise NotImplementedError


class OneCode:
    always = None
    width = 1

    def __init__(self, subject: OneColumn, code: int) -> None:
        self.subject, self.code = subject, code
        # Nothing is the same twice, so that a second question is compared with what was learned.
        self.key = object()

    def statistic(self) -> Statistic:
        return OneQuestion(SHAPE.sizes, (0,), np.arange(SHAPE.sizes[0]) == self.code)

    def share(self) -> float:
        return self.subject.shares.get(self.code, 0.9)

    def learn(self, paid: PaidAnswer) -> tuple[PaidAnswer, dict[str, Any]]:
        self.subject.shares[self.code] = paid.value / ROWS
        return paid, {"code": self.code}


@pytest.mark.parametrize("budget", [RICH, PURE], ids=["rho", "pure"])
def test_a_subject_of_ones_own_is_asked_compared_paid_and_learned(budget):
    plan = ht.plan_curator(SHAPE, budget=budget, rows=ROWS, questions=100, updates=10, way="hypothesis")
    state = Chain()
    codes, counts = np.unique(CODES, axis=1, return_counts=True)
    curator = Curator(
        plan=plan,
        subject=OneColumn(),
        state=state,
        account=StateAccount(Rehearsal(plan.price), state),
        rows=HeldRows(SHAPE.sizes, codes.astype(CODES.dtype), counts),
        randomness=ht.Simulated(3),
        on_exhausted="refuse",
    )
    wrong, right = curator.ask("1", count=True), curator.ask("1", count=True)
    assert (wrong.source, right.source) == ("paid", "free")
    assert right.value == pytest.approx(wrong.value)
    assert abs(wrong.value - (CODES[0] == 1).sum()) < 7 * wrong.stderr
    assert [entry["kind"] for entry in state.entries] == ["start", "answer"]
    assert state.entries[-1]["code"] == 1
    assert curator.budget_left == plan.price.amount - plan.start_amount - plan.terms.opening - 2 * plan.terms.each


def test_both_subjects_answer_for_the_whole_protocol():
    names = {name for name in vars(Subject) if not name.startswith("_")}
    for subject in (ConditionSubject, ListSubject):
        assert names <= set(vars(subject))
