"""Which rubric family an address asks about: the newest, or one of those before it; never two."""

from typing import Annotated

from fastapi import Depends, Query
from pydantic import Field

from app.errors import RuleError

MOST_FAMILIES = 1_000_000
"""A number that no database column overflows at; nobody publishes so many."""


Family = Annotated[int, Field(ge=1, le=MOST_FAMILIES)]


def one_family(family: Annotated[list[Family] | None, Query()] = None) -> int | None:
    """None where the address names none. RuleError where it names several."""
    asked = sorted(set(family or []))
    if len(asked) > 1:
        named = " and ".join(str(each) for each in asked)
        raise RuleError(
            f"Families {named} are never mixed in one kappa: the same level asks something else in each.",
            "Ask for one at a time; a minor edit, of wording only, joins the family of the version before it.",
            conditions=["family"],
        )
    return asked[0] if asked else None


OneFamily = Annotated[int | None, Depends(one_family)]
