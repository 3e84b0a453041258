"""How figures are said on a page."""

import re

import pytest

from app.settings import ROOT
from app.words import points

NOUNS = (
    "pairs|queries|documents|runs|rankings|grades|labellers|rounds|levels|lines|columns|judgments|acts|resamples|words|"
    "wins|losses|minutes|hours|bytes|rows|files|releases|problems|questions|rulings"
)
BOUND = (
    r"[A-Z_]{4,}|[\w.]*policy\.\w+|needed|full\.\w+|small\.\w+|limit|longest|most_\w+|look\.size\.most|settings\.\w+|"
    r".*:[,.\d]*f"
)
"""What is many by its nature, as a limit and a line of a policy, and what has decimals."""


@pytest.mark.parametrize(("share", "said"), [(0.1, "+10 points"), (-0.026, "-2.6 points"), (0.0, "+0 points")])
def test_the_margin_of_a_share_is_said_in_points(share: float, said: str) -> None:
    assert points(share) == said


@pytest.mark.parametrize(
    ("folder", "number"), [("app", r"\{([^{}\"]*)\}"), ("templates", r"\{\{ ([^{}|]*)(?:\| count )?\}\}")]
)
def test_no_number_stands_before_a_plural_that_does_not_know_it(folder: str, number: str) -> None:
    """`1 queries` is nobody's word: `plural` has both."""
    fixed = [
        f"{path.name}: {found[0]}"
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in {".py", ".html"}
        for found in re.finditer(rf"{number} (?:{NOUNS})\b", path.read_text())
        if not re.fullmatch(rf"(?:{BOUND})(?::,)?", found[1].strip())
    ]
    assert not fixed
