"""HTML of documents: what of it is kept, and what it says as text."""

import re

import pytest

from app.corpora.markup import DEEPEST, LONGEST, MOST, MOST_AMPERSANDS, cleaned, sizes, text_of
from tests.payloads import PAYLOADS

HARMLESS = {"src", "alt", "loading", "lang", "dir", "start", "colspan", "rowspan", "scope"}


@pytest.mark.parametrize("together", [1, 7])
def test_nothing_that_acts_or_leads_away_is_kept(together: int) -> None:
    for start in range(0, len(PAYLOADS), together):
        html = cleaned("".join(PAYLOADS[start : start + together]))
        tags = re.findall(r'<([a-z0-9]+)((?: [a-z:-]+="[^"]*")*)', html)
        assert not {name for name, _ in tags} & {"script", "style", "iframe", "form", "input", "button", "svg", "link"}
        assert {name for _, all_ in tags for name in re.findall(r' ([a-z:-]+)="', all_)} <= HARMLESS


def test_what_people_read_is_kept() -> None:
    html = "<h1>A</h1><p class=x style='color:red'>b <b>c</b> <a href=https://d.ex/>d</a><table><td colspan=2>e</table>"
    assert cleaned(html) == (
        '<h1>A</h1><p>b <b>c</b> <a>d</a></p><table><tbody><tr><td colspan="2">e</td></tr></tbody></table>'
    )
    assert cleaned("<title>gone</title><script>gone</script><style>gone</style>kept") == "kept"


def test_the_text_has_a_line_for_each_block() -> None:
    html = cleaned("<h1>A  title</h1>\n<p>one\ntwo <b>thr</b>ee &amp; &lt;four&gt;<br>five<ul><li>six<li>seven")
    assert text_of(html).split("\n\n") == ["A title", "one two three & <four>", "five", "six", "seven"]


@pytest.mark.parametrize(
    ("html", "depth"),
    [
        ("<div>" * 9, 9),
        ("<div></div>" * 9, 1),
        ("<p>" * 9, 0),
        ("<li><ul>" * 4, 4),
        ("</div>" * 3 + "<div>", 1),
        ("a<b", 0),
    ],
)
def test_depth_is_counted_by_tags_that_need_an_end(html: str, depth: int) -> None:
    assert sizes(html)[1] == depth


def test_what_a_browser_would_choke_on_is_refused() -> None:
    assert cleaned("<div>" * DEEPEST) != ""
    with pytest.raises(ValueError, match="deeper than 500"):
        cleaned("<div>" * 100_000)
    with pytest.raises(ValueError, match="longer than 2,000,000"):
        cleaned("a" * (LONGEST + 1))
    assert cleaned("<hr>" * MOST).count("<hr>") == MOST
    with pytest.raises(ValueError, match="more than 50,000 elements"):
        cleaned("<hr>" * (MOST + 1))
    assert cleaned("&" * MOST_AMPERSANDS) == "&amp;" * MOST_AMPERSANDS
    with pytest.raises(ValueError, match="more than 100,000 ampersands"):
        cleaned("&" * (MOST_AMPERSANDS + 1))


def test_a_cell_that_spans_more_than_people_read_spans_one() -> None:
    spans = "".join(f"<td rowspan={rows} colspan=2>x" for rows in ("20", "21", "65534", "9" * 5000, "-1", "all"))
    assert re.findall('rowspan="([^"]*)"', cleaned(f"<table><tr>{spans}</table>")) == ["20"]
