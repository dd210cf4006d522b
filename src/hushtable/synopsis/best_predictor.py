"""The best predictor: the rule of a class that agrees most with a label, by a synopsis's own answers. Costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any

from ..domain import Domain
from ..domain.attributes import Attribute, Boolean, Ordered
from ..domain.conditions import read_condition
from ..domain.predicate import Count, Holds, Not, Predicate, conjunction, disjunction
from ..errors import BadQuestion, check_whole
from ..questions.answer import Answer
from ..questions.parse import Question
from ..questions.stamp import SIMULATED
from ..words import counted, listed, suggestion

if TYPE_CHECKING:
    from .synopsis import Synopsis

__all__ = ["CLASSES", "BestPredictor", "best_predictor"]

CLASSES = ("all_of", "any_of", "at_least", "decision_lists")
MOST_RULES = 20_000
Rule = tuple[str, Predicate]


@dataclass(frozen=True, kw_only=True)
class BestPredictor:
    """A rule and how often it is right, as a share of all rows; its interval is one for all rules at once."""

    label: str
    rule: str
    among: str
    rules: int
    """How many rules were compared, with always and never."""
    agreement: float
    low: float
    high: float
    best_possible: float
    """No rule of the class agrees more, with the same confidence."""
    constant: float
    """The agreement of the better one of always and never."""
    confidence: float
    not_private: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    def __str__(self) -> str:
        stamp = f"{SIMULATED}\n" if self.not_private else ""
        sure = f"{100 * self.confidence:g}%, all {self.rules:,} rules at once"
        return (
            f"{stamp}{self.label} is best predicted by: {self.rule}\n"
            f"right for {self.agreement:.4f} of the rows, between {self.low:.4f} and {self.high:.4f} ({sure})\n"
            f"no rule of {self.among} is right for more than {self.best_possible:.4f}; "
            f"the better one of always and never for {self.constant:.4f}"
        )


def best_predictor(
    synopsis: Synopsis, *, label: str, among: str, width: int, r: int | None, confidence: float
) -> BestPredictor:
    """The rule of largest agreement by released answers [Har11, Theorem 6.5.8].

    The share of rows on which a rule q is right is q's count among rows with the label minus that among those without,
    plus the latter's number: one linear question, whose interval the synopsis knows. The best of many is flattered by
    its noise, so all intervals are made to hold at once, by the union bound.
    """
    if not synopsis.model.answers_tables:
        raise BadQuestion("the best predictor needs a synopsis that answers conditions on columns")
    if not 0 < confidence < 1:
        raise BadQuestion(f"confidence must be between 0 and 1, such as 0.95, not {confidence!r}")
    if not isinstance(label, str):
        raise BadQuestion(f"the label is a column or a condition on one, as text, not {type(label).__name__}")
    wanted, _ = read_condition(label, synopsis.domain)
    if not wanted.positions:
        raise BadQuestion(f"the label {label!r} is the same for every row; name a column or a condition on one")
    literals = _literals(synopsis.domain, wanted.positions)
    rules = [*_constants(literals), *_rules(literals, among, width, r)]
    each = 1 - (1 - confidence) / len(rules)
    found = [(text, *_agreement(synopsis, wanted, rule, each, text)) for text, rule in rules]
    best = max(found, key=lambda one: one[1])
    arguments = f"{f'r={r}, ' if r else ''}{'length' if among == 'decision_lists' else 'width'}={width}"
    return BestPredictor(
        label=label, rule=best[0], among=f"{among}({arguments})", rules=len(rules), agreement=best[1], low=best[2],
        high=best[3], best_possible=max(one[3] for one in found), constant=max(one[1] for one in found[:2]),
        confidence=confidence, not_private=synopsis.not_private,
    )  # fmt: skip


def _agreement(
    synopsis: Synopsis, label: Predicate, rule: Predicate, confidence: float, text: str
) -> tuple[float, float, float]:
    """The share of rows on which a rule is right, and its interval; a row whose label is missing counts as wrong."""
    right = disjunction([conjunction([label, rule]), conjunction([Not(label), Not(rule)])])
    question = Question(text=f"{text} is right", where=right)
    answer = synopsis.model.answer(synopsis.model.plain(question))
    assert isinstance(answer, Answer)
    low, high = answer.interval(confidence)
    return float(answer.value), max(low, 0.0), min(high, 1.0)


def _literals(domain: Domain, label: frozenset[int]) -> list[list[Rule]]:
    """Of every other column the conditions that people write; a missing value meets none."""
    out: list[list[Rule]] = []
    for position, attribute in enumerate(domain.closed):
        if position not in label:
            texts = _texts(attribute)
            out.append([(text, Holds(read_condition(text, domain)[0])) for text in texts])
    return [own for own in out if own]


def _texts(attribute: Attribute) -> list[str]:
    name = attribute.name if attribute.name.isidentifier() else '"' + attribute.name.replace('"', '""') + '"'
    if isinstance(attribute, Boolean):
        return [name, f"NOT {name}"]
    if isinstance(attribute, Ordered):
        cuts = [attribute.text(cut) for cut in attribute.cuts]
        return [f"{name} {sign} {_quoted(cut)}" for cut in cuts for sign in ("<", ">=")]
    return [f"{name} = '{value.replace(chr(39), chr(39) * 2)}'" for value in attribute.values]


def _quoted(text: str) -> str:
    """A number as it is, a date in quotes."""
    return text if text.replace(".", "", 1).lstrip("-").isdigit() else f"'{text}'"


def _constants(literals: Sequence[Sequence[Rule]]) -> list[Rule]:
    if not literals:
        raise BadQuestion("there is no column beside the label to predict it by")
    one = literals[0][0][1]
    always = disjunction([one, Not(one)])
    return [("always", always), ("never", Not(always))]


def _rules(literals: list[list[Rule]], among: str, width: int, r: int | None) -> Iterator[Rule]:
    """All rules of a class; BadQuestion where there are too many."""
    if among not in CLASSES:
        raise BadQuestion(f"no class of rules '{among}'; there are {listed(CLASSES)}.{suggestion(among, CLASSES)}")
    check_whole(width, "width", BadQuestion, most=len(literals), limit=f"{counted(len(literals), 'other column')}")
    if (among == "at_least") != (r is not None):
        raise BadQuestion("r goes with at_least: so many of up to width conditions, as in r=2, width=3")
    if r is not None:
        check_whole(r, "r", BadQuestion, most=width, limit=f"the width {width}")
    if among == "decision_lists":
        return _lists(literals, width)
    least = 2 if among == "any_of" else r or 1
    count = sum(_ways(literals, size) for size in range(least, width + 1))
    if count > MOST_RULES:
        raise BadQuestion(f"{among} of width {width} has {count:,} rules and {MOST_RULES:,} are compared; lower width")
    return _joined(literals, among, range(least, width + 1), r)


def _joined(literals: list[list[Rule]], among: str, sizes: range, r: int | None) -> Iterator[Rule]:
    for size in sizes:
        for columns in combinations(literals, size):
            for chosen in product(*columns):
                texts, parts = [text for text, _ in chosen], [part for _, part in chosen]
                if among == "at_least":
                    yield f"at_least({r}, {', '.join(texts)})", Count(r or 1, size, tuple(parts))
                else:
                    join, made = (" AND ", conjunction) if among == "all_of" else (" OR ", disjunction)
                    yield join.join(texts), made(parts)


def _ways(literals: Sequence[Sequence[Rule]], size: int) -> int:
    ways = [1] + [0] * size
    for own in literals:
        for number in range(size, 0, -1):
            ways[number] += ways[number - 1] * len(own)
    return ways[size]


def _lists(literals: list[list[Rule]], length: int) -> Iterator[Rule]:
    """if a then 1, else if b then 0, else 1: up to so many conditions, each with the opposite of the default or not."""
    flat = [literal for own in literals for literal in own]
    count = sum((2 * len(flat)) ** size for size in range(1, length + 1))
    if count > MOST_RULES:
        raise BadQuestion(
            f"there are {count:,} decision lists of up to {length} of {len(flat)} conditions, and {MOST_RULES:,} rules "
            "are compared; lower width"
        )
    for size in range(1, length + 1):
        for chosen in permutations(flat, size):
            # The last decision is not that of the default: such a list is a shorter one.
            for default, *says in product((0, 1), repeat=size):
                decided = [*says, 1 - default]
                yield _list_text(chosen, decided, default), _list(chosen, decided)


def _list_text(chosen: Sequence[Rule], decided: Sequence[int], default: int) -> str:
    steps = [f"if {text} then {says}" for (text, _), says in zip(chosen, decided, strict=True)]
    return f"{', else '.join(steps)}, else {default}"


def _list(chosen: Sequence[Rule], decided: Sequence[int]) -> Predicate:
    """From the end on: 'if a then 1 else rest' is a OR rest, 'if a then 0 else rest' is NOT a AND rest."""
    rest: Predicate | None = None
    for (_, part), says in reversed(list(zip(chosen, decided, strict=True))):
        if rest is None:
            rest = part if says else Not(part)
            continue
        rest = disjunction([part, rest]) if says else conjunction([Not(part), rest])
    assert rest is not None
    return rest
