import json
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.measures import Undefined
from app.measures.agreement import Doubles
from app.measures.alpha import Scale, alpha
from tests.measures.doubly import chorus, from_table
from tests.measures.test_agreement import deals

CASES = json.loads((Path(__file__).parents[1] / "cases" / "agreement.json").read_text(encoding="utf-8"))["cases"]
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_golden_table_has_its_alpha(case: dict[str, Any], scale: Scale) -> None:
    found, expected = alpha(from_table(case["table"]), scale), case["expected"][f"alpha_{scale}"]
    assert isinstance(found, Undefined) if expected is None else found == pytest.approx(expected, abs=1e-12)


@given(deals(), st.sampled_from(SCALES))
def test_alpha_equals_the_krippendorff_package_for_teams_of_two_and_three(doubles: Doubles, scale: Scale) -> None:
    found = alpha(doubles, scale)
    assert doubles.pair is not None
    table = np.full((doubles.labellers, int(doubles.pair.max()) + 1), np.nan)
    table[doubles.a, doubles.pair] = doubles.level_a
    table[doubles.b, doubles.pair] = doubles.level_b
    if isinstance(found, Undefined):
        assert len(np.unique(table[~np.isnan(table)])) < 2
    else:
        theirs = krippendorff.alpha(
            reliability_data=table, level_of_measurement=scale, value_domain=list(range(doubles.levels))
        )
        assert found == pytest.approx(theirs, abs=1e-12)


def test_three_raters_of_the_same_products_have_an_ordinal_alpha_of_769548(shared_data: Path) -> None:
    doubles = chorus(shared_data, raters=(1, 2, 3))
    found = [alpha(doubles, scale) for scale in SCALES]
    assert found == pytest.approx([0.642597, 0.769548, 0.770733], abs=5e-7)
