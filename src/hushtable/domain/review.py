"""Review: what a domain declares that will hurt later, from the domain alone."""

from __future__ import annotations

from ..words import listed
from .attributes import Attribute, Binned, Category, Open
from .domain import Domain
from .identifier_names import names_an_identifier

__all__ = ["averages_warning", "rough_averages", "warnings_about"]

MANY_VALUES = 1000
# An average that may be off by more of its range than this, whatever is spent, says little.
ROUGH = 0.05
# A list of fewer values names kinds of people, not people.
LEAST_PEOPLE = 50


def rough_averages(domain: Domain) -> dict[str, float]:
    """Columns whose bins alone make an average rough, and how far it may be off; none whose sums are measured."""
    found = {}
    for attribute in domain.closed:
        if isinstance(attribute, Binned) and attribute.name not in domain.means:
            bounds = attribute.bin_bounds()
            half = sum(float(high - low) for low, high in bounds) / (2 * len(bounds))
            if half > ROUGH * float(attribute.high - attribute.low):
                found[attribute.name] = half
    return found


def averages_warning(domain: Domain) -> list[str]:
    """One line for all such columns."""
    rough = rough_averages(domain)
    if not rough:
        return []
    told = listed([f"{name} (± {float(f'{half:.2g}'):g})" for name, half in rough.items()], 6)
    names = ", ".join(list(rough)[:2])
    return [f"bins make averages rough whatever is spent: {told}; add edges, or declare means: [{names}]"]


def warnings_about(domain: Domain) -> list[str]:
    """What an owner should think about before a plan is made."""
    found = []
    for attribute in domain.closed:
        if attribute.size > MANY_VALUES:
            found.append(
                f"{attribute.name} has {attribute.size:,} values, and each is counted with noise of its own; merge "
                "them, list the usual ones and let `other: true` take the rest, or use kind: open and sparse()"
            )
        if isinstance(attribute, Category) and len(attribute.values) == 1:
            found.append(f"{attribute.name} has one value only; leave it out, or list what else there may be")
    found += averages_warning(domain)
    ids = [a.name for a in domain.attributes if names_an_identifier(a.name) and _may_tell_people_apart(a)]
    if ids and domain.unit.rows == 1 and domain.unit.person is None:
        found.append(
            f"{listed(ids, 4)} looks like an id: if a person may have several rows, one row is not one person; say how "
            f"many rows one may have, unit: {{person: {ids[0]}, rows: 3}}, and leave the id out of the attributes"
        )
    return found


def _may_tell_people_apart(attribute: Attribute) -> bool:
    return isinstance(attribute, (Binned, Open)) or (
        isinstance(attribute, Category) and len(attribute.values) >= LEAST_PEOPLE
    )
