"""The bars of a preview cover what is there and nothing beyond."""

from app.corpora.picturing import bars


def test_the_last_range_ends_with_the_largest_number() -> None:
    found = bars({str(depth): 1 for depth in (1, 2, *range(10, 101))})
    assert found[-1][0].endswith(" to 100")
    assert sum(height for _, height in found) == 93
