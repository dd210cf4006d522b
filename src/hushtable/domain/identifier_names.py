"""Names of columns that tell one person or one row from another, as people write them."""

from __future__ import annotations

import re

__all__ = ["names_an_identifier"]

LAST_WORDS = {
    "id", "ids", "uuid", "guid", "key", "nr", "no", "number", "ssn", "nhs", "mrn", "pid", "mail", "email", "phone",
    "patient", "person", "subject", "participant", "client", "customer", "member", "user", "student", "pupil",
    "employee", "respondent", "household", "account",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_HUMP = re.compile(r"([a-z])([A-Z])")


def names_an_identifier(name: str) -> bool:
    """Whether the last word says who or which one: `patient`, `person_id`, `caseNo`, but not `patient_age`."""
    words = _WORD.findall(_HUMP.sub(r"\1 \2", name).lower())
    return bool(words) and words[-1] in LAST_WORDS
