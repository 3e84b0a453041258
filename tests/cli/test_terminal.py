"""What others wrote can't drive the terminal of whoever reads it."""

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.files import print_csv
from app.cli.refusal import Refusal
from app.cli.terminal import condition_line, escaped, misleads, printable, tell

CLEARS_THE_SCREEN = "\x1b[2J"
TURNS_ROUND = "\u202e"


@given(st.text())
def test_no_line_moves_the_cursor_or_turns_the_reading_order(text: str) -> None:
    assert not any(map(misleads, printable(text)))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_json_stays_the_same_value(text: str) -> None:
    told = escaped(json.dumps({"title": text}, ensure_ascii=False, indent=2))
    assert json.loads(told) == {"title": text}
    assert not any(misleads(sign) for sign in told if sign != "\n")


@pytest.mark.parametrize("text", ["naïve", "人\u3000工", "👩\u200d💻", "\u05e9\u05dc\u05d5\u05dd", "a\xa0b"])
def test_what_people_write_is_left_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_a_title_that_would_clear_the_screen_is_shown_with_its_signs(capsys: pytest.CaptureFixture[str]) -> None:
    title = f"{CLEARS_THE_SCREEN}{TURNS_ROUND}\x9b"
    tell({"title": title}, as_json=False, lines=[title])
    assert capsys.readouterr().out == "\\x1b[2J\\u202e\\x9b\n"
    tell({"title": title}, as_json=True, lines=[])
    assert json.loads(capsys.readouterr().out) == {"title": title}


@pytest.mark.parametrize(("is_met", "told"), [(True, "met"), (False, "not met"), (None, "can't be told")])
def test_a_condition_that_nobody_can_tell_yet_is_not_called_missed(*, is_met: bool | None, told: str) -> None:
    line = condition_line({"is_met": is_met, "name": "kappa", "asked": ".60", "found": ".58 to .66"})
    assert line == f"  {told}: kappa: asked .60, found .58 to .66"


def ascii_only(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """What standard output is given, whose encoding has no place for most signs."""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii", newline="\n"))
    return written


def test_what_the_terminal_can_t_show_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    written = ascii_only(monkeypatch)
    tell({}, as_json=False, lines=["caf\xe9 \u65e5"])
    assert written.getvalue() == b"caf\\xe9 \\u65e5\n"


def test_json_has_its_own_escapes_for_what_the_terminal_can_t_show(monkeypatch: pytest.MonkeyPatch) -> None:
    written = ascii_only(monkeypatch)
    tell({"qid": "caf\xe9 \u65e5"}, as_json=True, lines=[])
    assert json.loads(written.getvalue()) == {"qid": "caf\xe9 \u65e5"}


def test_a_table_that_the_output_can_t_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ascii_only(monkeypatch)
    with pytest.raises(Refusal) as refused:
        print_csv(["qid"], [["caf\xe9"]])
    assert refused.value.sentence == "The answer holds signs that ascii has no place for."
