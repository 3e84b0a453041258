"""The address that a person is told can be opened in a browser."""

import pytest

from app.cli.serving import openable


@pytest.mark.parametrize(
    ("host", "shown"),
    [("0.0.0.0", "localhost"), ("::", "localhost"), ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")],  # noqa: S104
)
def test_every_address_is_none_that_can_be_opened(host: str, shown: str) -> None:
    assert openable(host) == shown
