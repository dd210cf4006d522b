"""Released types: who there is and how they fare, from the answers of a synopsis and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..domain import Domain
from ..domain.predicate import conjunction
from ..errors import BadPolicy, UnknownAttribute
from ..questions.answer import CrossTab
from ..questions.declaration import answer_of
from ..questions.parse import FORMS, Question
from ..words import counted, listed, suggestion
from .inputs import checked_actions, checked_loss
from .metric import Floats

if TYPE_CHECKING:
    from ..synopsis import Synopsis

__all__ = ["ReleasedTypes", "cell_labels", "from_synopsis"]

COSTS = {"wrong_yes": 1.0, "wrong_no": 1.0}
MOST_TYPES = 20_000


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedTypes:
    """Types of people as a released table has them: their shares, how often the outcome happens, what that costs."""

    domain: Domain
    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    """One line a type, one label a column."""
    weights: Floats
    weight_errors: Floats
    """Standard errors of the shares, before they were made positive."""
    loss: Floats
    actions: tuple[str, ...]
    rates: Floats | None = None
    rate_errors: Floats | None = None
    outcome: str = ""
    costs: dict[str, float] | None = None
    counted: Floats | None = None
    """Shares of those who are of the type, and of those with the outcome too: as released, some may be negative."""
    joint_errors: Floats | None = None
    """Standard errors of the shares of those who are of the type and have the outcome."""
    modelled: bool = False
    """Whether the shares are a model's: never negative, and wrong on many types together rather than on each alone."""
    notes: tuple[str, ...] = ()
    not_private: bool = False

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"<ReleasedTypes of {self.domain.table}: {counted(len(self), 'type')} by {listed(self.columns)}>"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The labels of each type in one text."""
        return tuple(", ".join(line) for line in self.labels)

    @cached_property
    def _places(self) -> dict[tuple[str, ...], int]:
        return {line: number for number, line in enumerate(self.labels)}

    def codes(self, person: Mapping[str, Any]) -> tuple[str, ...]:
        """The labels of a person's values; every column must be given, and none other."""
        for name in person:
            if name not in self.columns:
                raise UnknownAttribute(name, known=self.columns)
        found = []
        for name in self.columns:
            if name not in person:
                raise BadPolicy(f"the person has no '{name}'; give {listed(self.columns)}")
            attribute = self.domain.closed[self.domain.position(name)]
            value = person[name]
            code = attribute.labels.index(value) if value in attribute.labels else attribute.code(value)
            if code is None:
                raise BadPolicy(f"{name} cannot be {value!r}; allowed are {listed(attribute.labels)}")
            found.append(attribute.labels[code])
        return tuple(found)

    def find(self, person: Mapping[str, Any]) -> int | None:
        """The type of a person; None when there is none like them."""
        return self._places.get(self.codes(person))

    def groups(self, column: str, weights: Floats) -> dict[str, Floats]:
        """The types of each label of one column."""
        if column not in self.columns:
            raise BadPolicy(
                f"no column '{column}' among the cells; they have {listed(self.columns)}."
                f"{suggestion(column, self.columns)}"
            )
        place = self.columns.index(column)
        mine = np.array([line[place] for line in self.labels])
        # Labels that nobody has (a bin for missing values, most often) are no groups.
        shares = {name: float(weights[mine == name].sum()) for name in dict.fromkeys(mine.tolist())}
        kept = [name for name, share in shares.items() if share > 1e-9]
        return {name: np.asarray(mine == name) for name in sorted(kept, key=lambda name: shares[name])}

    def loss_error(self, odds: Floats) -> float | None:
        """Standard error of a rule's loss from the noise in released shares and rates; None for a loss of one's own.

        The loss is (sum of what mistakes cost, over those with the outcome and those without) / (sum of both). So an
        error in a share counts with the distance of its cost to the loss itself. Shares are taken as independent, and
        those without the outcome as exact as those with it. It is the error of `counted_loss`.
        """
        if self.joint_errors is None or self.costs is None:
            return None
        yes, no = odds[:, 1] * self.costs["wrong_yes"], odds[:, 0] * self.costs["wrong_no"]
        mean = float(self.weights @ (odds * self.loss).sum(axis=1))
        if self.modelled:
            return self._model_error(np.concatenate([yes, no]))
        spread = ((yes - mean) ** 2 + (no - mean) ** 2) * self.joint_errors**2
        return _known(float(np.sqrt(spread.sum())))

    def _model_error(self, costs: Floats) -> float | None:
        """The error of a sum with these costs where shares come from a model, which errs on many types together.

        A sum with costs between two numbers is a mixture of counts, and the model states the error of a count.
        """
        return _known(float(np.ptp(costs) * self.weight_errors.max()))

    def counted_loss(self, odds: Floats) -> float | None:
        """The loss of a rule by the released shares as they are: no rate leans on another, none is made positive."""
        if self.counted is None or self.costs is None:
            return None
        whole, part = self.counted
        yes, no = odds[:, 1] * self.costs["wrong_yes"], odds[:, 0] * self.costs["wrong_no"]
        return float((yes @ (whole - part) + no @ part) / whole.sum())

    def group_error(self, members: Floats, odds: Floats) -> float | None:
        """Standard error of the share of a group that gets an action, from the noise in the shares of its types."""
        inside = members > 0
        total = float(self.weights[inside].sum())
        if self.modelled:
            error = self._model_error(odds[inside])
            return None if error is None else error / total
        mean = float(members @ odds)
        return _known(float(np.sqrt((((odds - mean)[inside] * self.weight_errors[inside] / total) ** 2).sum())))


def from_synopsis(
    synopsis: Synopsis,
    cells: str,
    outcome: str | None = None,
    costs: Mapping[str, float] | None = None,
    *,
    loss: ArrayLike | Callable[[dict[str, str]], Sequence[float]] | None = None,
    actions: Sequence[str] | None = None,
) -> ReleasedTypes:
    """Types, their shares and their losses from released answers; nothing is spent.

    `cells` is a question with groups, `SELECT income, sex, count(*) FROM lender GROUP BY income, sex`: one type a cell.
    `outcome` is a condition, such as `repaid`; saying yes to somebody without it costs `wrong_yes`, and no to somebody
    with it `wrong_no`. Instead of both a `loss` of one's own may be given: one line a cell and one column an action,
    or a function from the labels of a cell, by column, to the loss of each action.
    """
    question = _question(synopsis, cells)
    table = _asked(synopsis, question)
    weights = np.maximum(table.value, 0.0)
    if not weights.any():
        raise BadPolicy("the cells have no rows in the released numbers; ask for fewer columns")
    shared: dict[str, Any] = {
        "domain": synopsis.domain,
        "columns": tuple(table.groups),
        "labels": tuple(zip(*table.groups.values(), strict=True)),
        "weights": weights / weights.sum(),
        "weight_errors": _errors(table) / weights.sum(),
        "modelled": table.estimator == "model",
        "not_private": synopsis.not_private,
    }
    if (outcome is None) == (loss is None):
        raise BadPolicy("give an outcome (with costs), or a loss of your own, not both or neither")
    if loss is not None:
        named = [dict(zip(shared["columns"], line, strict=True)) for line in shared["labels"]]
        own = checked_loss([loss(cell) for cell in named] if callable(loss) else loss, len(table))
        return ReleasedTypes(**shared, loss=own, actions=checked_actions(actions, own.shape[1]), notes=_unknown(table))
    assert outcome is not None
    price = _checked_costs(costs)
    joint = _asked(synopsis, _with_outcome(synopsis, question, outcome))
    rates, errors, drowned = _rates(table, joint)
    names = checked_actions(actions, 2)
    notes = list(_unknown(table))
    if drowned:
        share = f"{counted(drowned, 'type')} of {len(table):,}"
        notes.append(
            f"{share} have fewer rows than the noise in their count: their rates lean on the rate of everybody"
        )
    made = np.column_stack([rates * price["wrong_no"], (1 - rates) * price["wrong_yes"]])
    return ReleasedTypes(
        **shared, loss=made, actions=names, rates=rates, rate_errors=errors, outcome=outcome, costs=price,
        joint_errors=_errors(joint) / weights.sum(), counted=np.stack([table.value, joint.value]), notes=tuple(notes),
    )  # fmt: skip


def cell_labels(synopsis: Synopsis, cells: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Columns of the cells, and the labels of each."""
    table = _asked(synopsis, _question(synopsis, cells))
    return tuple(table.groups), tuple(zip(*table.groups.values(), strict=True))


def _question(synopsis: Synopsis, cells: str) -> Question:
    parsed = synopsis.model.parse(cells)
    if not isinstance(parsed, Question) or not parsed.groups or parsed.kind != "count":
        raise BadPolicy(f"the cells must be a count with GROUP BY, one type a cell: write {FORMS}")
    return parsed


def _asked(synopsis: Synopsis, question: Question) -> CrossTab:
    answer = answer_of(synopsis.model, question)
    if not isinstance(answer, CrossTab):
        raise BadPolicy(f"this synopsis gives no table for the cells; write {FORMS}")
    if len(answer) > MOST_TYPES:
        raise BadPolicy(f"the cells are {len(answer):,} types; at most {MOST_TYPES:,}: group by fewer columns")
    return answer


def _with_outcome(synopsis: Synopsis, question: Question, outcome: str) -> Question:
    """The same cells, only rows with the outcome."""
    event = synopsis.model.parse(outcome)
    if not isinstance(event, Question) or event.groups or event.where is None:
        raise BadPolicy(f"the outcome must be a condition such as repaid or readmitted = 'no', not '{outcome}'")
    where = event.where if question.where is None else conjunction([question.where, event.where])
    return replace(question, where=where, text=f"{question.text} ({outcome})")


def _checked_costs(costs: Mapping[str, float] | None) -> dict[str, float]:
    price = dict(COSTS)
    for name, value in (costs or {}).items():
        if name not in COSTS:
            raise BadPolicy(f"no cost '{name}'; there are {listed(list(COSTS))}.{suggestion(name, list(COSTS))}")
        if not np.isfinite(value) or value < 0:
            raise BadPolicy(f"the cost {name} must be a number of at least 0, not {value}")
        price[name] = float(value)
    return price


def _errors(table: CrossTab) -> Floats:
    """Standard errors that give the stated 95% intervals, so that a certified bias is in them too."""
    low, high = table.interval(0.95)
    return np.asarray((high - low) / (2 * 1.96))


def _unknown(table: CrossTab) -> tuple[str, ...]:
    """A remark where the synopsis does not say how wrong its shares may be."""
    count = int((~np.isfinite(_errors(table))).sum())
    if not count:
        return ()
    share = f"{count:,} of {counted(len(table), 'type')}"
    return (f"the synopsis states no error bar for {share}, so the rule has none: ask for fewer columns to have them",)


def _known(error: float) -> float | None:
    return error if np.isfinite(error) else None


def _rates(table: CrossTab, joint: CrossTab) -> tuple[Floats, Floats, int]:
    """How often the outcome happens in each cell, with errors, and how many cells have fewer rows than noise.

    A cell leans on everybody's rate with the weight of its own noise: (J + s r) / (N + s). Errors are those of the
    quotient, the two counts taken as independent.
    """
    whole, part = np.maximum(table.value, 0.0), np.clip(joint.value, 0.0, None)
    overall = float(np.clip(joint.value.sum() / max(table.value.sum(), 1e-12), 0.0, 1.0))
    own = _errors(table)
    # A model has done that already, and states one error for small cells and large ones.
    lean = np.zeros(len(table)) if table.estimator == "model" else np.nan_to_num(own, nan=0.0, posinf=0.0)
    below = np.maximum(whole + lean, 1e-12)
    rates = np.clip((part + lean * overall) / below, 0.0, 1.0)
    errors = np.sqrt(_errors(joint) ** 2 + (rates * own) ** 2) / below
    return rates, errors, int((whole < lean).sum())
