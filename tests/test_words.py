"""How figures are said on a page."""

import pytest

from app.words import points


@pytest.mark.parametrize(("share", "said"), [(0.1, "+10 points"), (-0.026, "-2.6 points"), (0.0, "+0 points")])
def test_the_margin_of_a_share_is_said_in_points(share: float, said: str) -> None:
    assert points(share) == said
