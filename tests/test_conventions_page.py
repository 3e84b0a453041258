"""docs/conventions.md is what the presets and the golden cases say."""

from tools.conventions import PAGE, page


def test_the_page_of_conventions_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "make conventions writes it anew"
