"""Synopsis: the released summary. Answers questions for ever, without data and without budget."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..domain import Domain
from ..domain.attributes import MISSING, OTHER, Ordered, number_in
from ..errors import BadQuestion, HushError
from ..models.base import Model
from ..questions.answer import Answer, CrossTab
from ..questions.arithmetic import Release
from ..questions.declaration import answer_of
from ..questions.stamp import SIMULATED, stamped
from ..words import counted, listed, readable, shortened

if TYPE_CHECKING:
    import pyarrow as pa

    from ..maths.learning.language import Language
    from ..maths.learning.learner import AnswerLearner
    from ..maths.learning.taught import Bought
    from ..mechanisms.planner import Plan
    from ..models.column_means import ColumnMeans
    from ..questions.lists import Listed, Lists
    from .best_predictor import BestPredictor
    from .info import SynopsisInfo

__all__ = ["SIMULATED", "Synopsis", "load"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Synopsis:
    """A model of the table with the record of how it was released."""

    domain: Domain
    model: Model
    workload: str
    mechanism: str
    accounting: dict[str, Any]
    """Budget, price and unit of the release."""
    not_private: bool
    means: ColumnMeans | None = field(default=None, repr=False)
    """Exact averages of columns that the domain declares."""
    journal: Path | None = field(default=None, repr=False)
    """Where what was released is kept until this is saved."""

    @classmethod
    def from_release(
        cls,
        plan: Plan,
        model: Model,
        *,
        means: ColumnMeans | None = None,
        ledger: dict[str, Any] | None,
        not_private: bool,
    ) -> Synopsis:
        """The synopsis of a plan that was carried out; `ledger` names the line that paid for it."""
        price, unit = plan.price, plan.domain.unit
        accounting = {
            "budget": plan.budget.to_dict(),
            "currency": price.currency,
            "price": str(price.amount),
            "neighbours": unit.neighbours,
            "rows_per_person": unit.rows,
            "plan": plan.digest,
            "ledger": ledger,
        } | ({"delta": str(price.delta)} if price.delta else {})
        return cls(
            domain=plan.domain,
            model=model,
            workload=plan.workload.recorded,
            mechanism=plan.design.recorded,
            accounting=accounting,
            not_private=not_private,
            means=means,
        )

    def ask(
        self, question: str | Listed | Lists, *, count: bool | None = None, interpolate: bool = False
    ) -> Answer | CrossTab:
        """The answer to a question in SQL's words.

        A condition gives the share of all rows, SELECT count(*) a number of rows; count=True and count=False ask for
        one or the other. A synopsis of a sparse workload also takes lists of values as they are. A cut inside a bin is
        refused, or with interpolate=True estimated.
        """
        if interpolate:
            estimate = self._interpolated(question, count)
            if estimate is not None:
                return stamped(estimate) if self.not_private else estimate
        import numpy as np

        from ..models.with_means import WithMeans
        from ..questions.sql.evaluate import evaluate
        from ..questions.sql.statement import Statement

        parsed, counts = self._parsed(question) if isinstance(question, str) else (self.model.accept(question), False)
        count = counts if count is None else count
        # Numbers too large to be squared come out as not known; numpy's remarks on that help nobody.
        with np.errstate(all="ignore"):
            if isinstance(parsed, Statement):
                selected = self._in_order(evaluate(parsed, WithMeans.of(self.model, self.means), count=count))
                if isinstance(selected, Answer):
                    selected = replace(selected, release=Release(self))
                return stamped(selected) if self.not_private else selected
            asked = WithMeans.of(self.model, self.means)
            answer = self._nothing(parsed, count=count) or answer_of(asked, parsed, count=count)
        if remarks := getattr(parsed, "notes", ()):
            answer = replace(answer, notes=(*remarks, *answer.notes))
        if isinstance(answer, Answer):
            answer = replace(answer, release=Release(self))
        answer = self._in_order(answer)
        return stamped(answer) if self.not_private else answer

    def _interpolated(self, question: str | Listed | Lists, count: bool | None) -> Answer | CrossTab | None:
        """An estimate that cuts bins in two; None where the question cuts none."""
        from ..questions.interpolation import interpolated
        from ..questions.parse import is_select

        if not isinstance(question, str):
            raise BadQuestion("interpolation takes a question as text, not a list of values")
        estimate = interpolated(question, self.model, count=is_select(question) if count is None else count)
        return None if estimate is None else self._in_order(estimate)

    def _in_order(self, answer: Answer | CrossTab) -> Answer | CrossTab:
        """A cross-tab that knows which of its columns have an order, for pictures."""
        if not isinstance(answer, CrossTab):
            return answer
        bins = {attribute.name for attribute in self.domain.attributes if isinstance(attribute, Ordered)}
        counted_out = {name for name, labels in answer.groups.items() if _numbers(labels)}
        return answer.with_order(frozenset(name for name in answer.groups if name in bins | counted_out))

    def _nothing(self, question: Any, *, count: bool) -> Answer | None:
        """The exact 0 of a condition that no row of any table can meet."""
        from ..models.build_answer import certain_answer
        from ..questions.parse import Question

        if not isinstance(question, Question) or not question.empty(self.domain.sizes):
            return None
        return certain_answer(question.text, 0.0, count=count)

    def info(self) -> SynopsisInfo:
        """What the file holds: columns, questions to try, the promise and the noise; as `hush info` prints it."""
        from .info import info_of

        return info_of(self)

    def sample(self, rows: int, *, seed: int | None = None, where: str | None = None) -> pa.Table:
        """Synthetic rows as an Arrow table, drawn from the model: no budget is spent, and no error bar comes along.

        Fresh rows every time, or with a seed the same ones again; with `where` only rows that meet a condition.
        BadQuestion when the model has no whole rows.
        """
        from .rows import draw_rows

        return draw_rows(self, rows, seed=seed, where=where)

    def sample_sets(self, rows: int, *, sets: int = 16, seed: int | None = None, where: str | None = None) -> pa.Table:
        """Several sets of synthetic rows, told apart by a column `set`, each drawn by another replicate of the model.

        Analyse each set and join the results by `ht.combine`: its standard errors know of the noise of the release.
        """
        from .rows import stream_sets

        return stream_sets(self, rows, sets=sets, seed=seed, where=where).read_all()

    def replicate_weights(self, *, seed: int | None = None) -> pa.Table:
        """Weighted rows with a column `weight` and one a replicate, as programs for surveys read them."""
        from .rows import stream_weighted

        return stream_weighted(self, seed=seed).read_all()

    def best_predictor(
        self, *, label: str, among: str = "all_of", width: int = 2, r: int | None = None, confidence: float = 0.95
    ) -> BestPredictor:
        """The rule that agrees most with a label, by this synopsis's own answers: no data, no budget.

        among  all_of, any_of, at_least (with r) or decision_lists, of up to `width` conditions on other columns

        Its interval holds for all rules of the class at once: the best of many is flattered by its noise.
        """
        from .best_predictor import best_predictor

        return best_predictor(self, label=label, among=among, width=width, r=r, confidence=confidence)

    def read_list(self, path: str | Path) -> Listed:
        """The question whether a row has one of the values in a text file, one a line."""
        from ..questions.lists import Listed

        self.model.accept(Listed([]))  # refuses a list where the model takes none, before a file is read
        return replace(Listed.load(path, self.model.values_in_key), text=str(path))

    def average(
        self, function: Callable[..., Any], *, where: str | None = None, by: Sequence[str] = ()
    ) -> Answer | CrossTab:
        """The mean of numpy code, whose arguments are named like smooth columns, over the rows that `where` keeps."""
        answer = self.model.average(function, where=where, by=by)
        return stamped(answer) if self.not_private else answer

    def evaluate(self, queries: Any, *, count: bool = False) -> CrossTab:
        """The answers to many queries of a family of polynomials, or questions of a learned language: a row each."""
        answers = self.model.evaluate_queries(queries, count=count)
        return stamped(answers) if self.not_private else answers

    def bought(self) -> Bought:
        """Questions, noisy answers and their noise, of a release by learning: anybody may learn from them, for ever."""
        return self.model.bought

    def learn(
        self, learner: AnswerLearner | None = None, *, language: Language | None = None, trust: bool = False
    ) -> Synopsis:
        """The same noisy answers, learned by another learner; without one, by the built-in one. Costs nothing.

        language  of one's own, which a file has no code of: needed once after loading
        trust     runs the learner that the file holds as a pickle. A pickle can do anything: only from those you trust
        """
        return replace(self, model=self.model.learn(learner, language=language, trust=trust), journal=None)

    def _parsed(self, text: str) -> tuple[Any, bool]:
        """What is asked, and whether in numbers of rows. Parsing takes long, and people ask the same thing again."""
        if text not in self._questions:
            from ..questions.parse import is_select
            from ..questions.sql.statement import is_share

            if len(self._questions) > 1000:
                self._questions.clear()
            select = is_select(text) or is_share(text)
            self._questions[text] = (self._read(text) if select else self.model.parse(text), select)
        return self._questions[text]

    def _read(self, text: str) -> Any:
        """A SELECT: a plain question in the model's own form, or a statement that is made of such."""
        from ..questions.sql.statement import read_statement

        if self.model.answers_tables:
            return read_statement(text, self.domain) or self.model.parse(text)
        try:
            return self.model.parse(text)
        except BadQuestion:
            if not self.model.reads_statements:
                raise
            return read_statement(text, self.domain) or self.model.parse(text)

    @cached_property
    def _questions(self) -> dict[str, tuple[Any, bool]]:
        return {}

    @cached_property
    def _packed(self) -> tuple[bytes, dict[str, bytes]]:
        from .file_format import pack

        return pack(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the manifest, which covers every member; the ledger keeps it beside the charge."""
        from .file_format import digest_of

        return digest_of(self._packed[0])

    def save(self, path: str | Path) -> None:
        """Writes the file; a file of that name is not overwritten, because it may be the only copy of a release.

        The journal of the release, which could have made this again, is removed.
        """
        from .file_format import write

        try:
            write(path, *self._packed)
        except HushError as error:
            if self.journal is not None:
                again = f"hush release --resume {shlex.quote(str(self.journal))}"
                error.add_note(f"nothing that was paid for is lost: finish with {again}, with -o for another name")
            raise
        if self.journal is not None:
            self.journal.unlink(missing_ok=True)

    def __repr__(self) -> str:
        """One paragraph, whatever the domain: the numbers themselves are in `model`."""
        names = shortened(listed([shortened(name, 40) for name in self.domain.names], 6), 250)
        counted_rows, budget = self.model.row_count(), self.accounting["budget"]
        spread = f" ± {1.96 * counted_rows[1]:,.0f}" if counted_rows is not None and counted_rows[1] > 0.3 else ""
        rows = "" if counted_rows is None else f", {counted_rows[0]:,.0f}{spread} rows"
        price = ", ".join(f"{name} = {readable(Fraction(value))}" for name, value in budget.items())
        stamp = f" {SIMULATED}." if self.not_private else ""
        return (
            f"<Synopsis of {shortened(self.domain.table, 60)} ({counted(len(self.domain.names), 'attribute')}: "
            f"{names}{rows}): {shortened(self.workload, 150)} by {shortened(self.mechanism, 100)}, {price}.{stamp} "
            "Ask with .ask('question'), see .info().>"
        )

    def _repr_html_(self) -> str:
        return self.info()._repr_html_()

    def __str__(self) -> str:
        stamp = f"\n{SIMULATED}" if self.not_private else ""
        return (
            f"synopsis of {self.domain.table}: {self.workload} by {self.mechanism}, "
            f"{counted(len(self.domain.attributes), 'attribute')}{stamp}"
        )


def _numbers(labels: Sequence[str]) -> bool:
    """Whether all labels are numbers, as those of year(d) and of codes are, but for rows that have none."""
    return all(label in (MISSING, OTHER) or number_in(label) is not None for label in set(labels))


def load(path: str | Path) -> Synopsis:
    """Reads a synopsis file. Executes nothing, and checks every size and digest before using it."""
    from .file_format import read

    return read(path)
