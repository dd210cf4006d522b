"""Kinds whose intervals are wide on purpose, and why; all others must not hold much more than they say."""

from __future__ import annotations

from .counting import BOUNDED, CALIBRATED, SELDOM, SILENT

__all__ = ["for_all_together", "purpose"]

NOTHING = "nothing bounds it but what is possible, or a bound that leaves half of that and more"
CHOICE = "unknown in many releases, so that what is shown is a choice of the noise; often with a bias bound"
USUAL = "a bar for questions of its kind together, measured on held-out ones, with the noise of that added"
ANY = "a bound on the bias, which holds for every table, is added to the noise"
MODEL = "a model's value; the interval also holds the unbiased one, or a bound that the last choice certifies"
LEARNED = "the multiple that held the noisy answers to held-out questions: the true ones are closer"
MARGIN = "a margin that holds whatever the hypothesis is"
PURPOSES: dict[tuple[str, str], str] = {
    ("mwem", ""): MODEL,
    ("curator", "frozen"): MODEL,
    ("curator", "free"): MARGIN,
    ("list-curator", "free"): MARGIN,
    ("learned", ""): LEARNED,
    ("predicates", "wide"): "a certified bias bound, around a guess that is usually closer",
    ("whole-table", ""): "a model's value, whose bar is made to hold for 95% of questions, not for each of them",
    ("stability-histogram", ""): "values below the threshold count as absent, with a bound on what they hide",
    ("", "average in bins"): "half a bin of bias to either side",
    ("smooth", "quantile"): "all values at which a column as they usually are may reach the level",
}
"""By how the family's and the kind's names begin; the longest that fits."""


def for_all_together(kind: str) -> bool:
    """Whether a bar is promised for columns of all tables together, and not for the few questions of one setting.

    A quantile is off by what the release cannot tell, which is nearly the same in every release of one column.
    """
    return kind.startswith("quantile") and kind.endswith(CALIBRATED)


def purpose(family: str, kind: str) -> str | None:
    """Why the kind is wide on purpose; None where it is not.

    Models are, and what has a bias bound; what was measured without bias is not.
    """
    if kind.endswith(SILENT):
        return NOTHING
    if kind.endswith(SELDOM):
        return CHOICE
    if kind.endswith(CALIBRATED):
        return USUAL
    if "measured" in kind:
        return None
    always = family.startswith(("mwem", "whole-table", "learned")) or kind.startswith(("frozen", "quantile"))
    if not always and not kind.endswith(BOUNDED):
        return None
    fits = [key for key in PURPOSES if family.startswith(key[0]) and kind.startswith(key[1])]
    return PURPOSES[max(fits, key=lambda key: len(key[0]) + len(key[1]))] if fits else ANY
