"""What the tests of imports share."""

import pytest

from tests.corpora.handing import Desk, sit_down
from tests.make import Cast


@pytest.fixture
def desk(cast: Cast) -> Desk:
    return sit_down(cast)
