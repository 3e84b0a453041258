"""The editor's form: levels, examples, reasons and gains, kept and changed without a script."""

import html
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.corpora.models import Document, Query
from app.rubrics.arranging import changed
from app.rubrics.templates import PRODUCTS, TEMPLATES, Template
from app.rubrics.texts import Example, LevelText, RubricText
from tests.make import LEVELS, Cast
from tests.releases.story import Story

FORM: dict[str, Any] = {
    "name": ["Nothing", "Something", "Everything"],
    "question": ["Are they where they were?", "Can they act?", "Can they finish?"],
    "not_this": ["", "", "Not a step but all of it."],
    "example_of": ["1 examples", "1 examples", "2 counter_examples"],
    "example_query": ["rotate a key", "close an account", "rotate a key"],
    "example_document": ["How to make a key", "Whom to write to", "Why keys expire"],
    "example_why": ["A step.", "Another step.", "Only why, not how."],
    "reason": ["broken", "query unclear"],
    "reason_when": ["An error page.", ""],
    "reason_leads_to": ["level 0", "left out"],
    "threshold": "2",
    "instructions": "Read the document whole.",
    "unjudgeable": "Say why.",
}


class Editor:
    """A lead before the editor of a project of theirs."""

    def __init__(self, cast: Cast, **project: Any) -> None:
        self.lead = cast.person("ana")
        self.project = cast.project(self.lead, **project)
        self.browser, self.script = cast.browser(self.lead), cast.script(self.lead, self.project)
        self.address, self.api = f"/projects/{self.project}/rubric", f"/api/v1/projects/{self.project}/rubric"

    def post(self, **change: Any) -> Any:
        return self.browser.post(f"{self.address}/draft", data=FORM | change)

    def published(self, **change: Any) -> Any:
        answer = self.post(do="publish", **change)
        assert answer.status_code == 303, answer.text
        return self.script.get(self.api).json()


@pytest.fixture
def editor(cast: Cast) -> Editor:
    return Editor(cast)


def field(page: str, name: str) -> list[str]:
    """What stands in the fields of that name, in order."""
    inputs = re.findall(
        rf'<(?:input|textarea)[^>]*name="{name}"[^>]*?(?:value="([^"]*)"[^>]*>|>([^<]*)</textarea>)', page
    )
    return [html.unescape(value or text) for value, text in inputs]


def test_everything_that_was_typed_is_kept_and_read(editor: Editor) -> None:
    assert editor.post(do="save").status_code == 303
    page = editor.browser.get(f"{editor.address}/draft").text
    assert field(page, "example_why") == ["", "", "A step.", "Another step.", "", "", "Only why, not how."]
    assert "Saved on" in page
    read = editor.published()
    assert read["levels"][1]["examples"][1] == {
        "query": "close an account",
        "document": "Whom to write to",
        "why": "Another step.",
    }
    assert read["levels"][2]["counter_examples"][0]["why"] == "Only why, not how."
    assert read["refusals"] == {"broken": {"when": "An error page.", "leads_to": "level 0"}}
    shown = html.unescape(editor.browser.get(editor.address).text)
    for words in ("Whom to write to", "Broken.", "An error page. If nobody can judge it, it counts as level 0."):
        assert words in shown


def test_lines_end_as_a_script_ends_them_whatever_the_browser_sends(editor: Editor) -> None:
    """Else a version that was written by a script, and looked at in the browser, would seem to be another."""
    assert editor.published(instructions="Read it.\r\nThen grade.")["instructions"] == "Read it.\nThen grade."


def test_what_was_read_by_a_script_can_be_written_back(editor: Editor) -> None:
    read = editor.published()
    taken = {name: read[name] for name in ("levels", "instructions", "unjudgeable", "threshold", "refusals")}
    written = editor.script.put(editor.api, json=taken).json()
    assert {name: written[name] for name in taken} == taken
    assert editor.script.get(f"{editor.api}s/diff", params={"old": 1, "new": 1}).json()["changes"] == []


@pytest.mark.parametrize(
    ("button", "names"),
    [
        ("up 0", ["Something", "Nothing", "Everything"]),
        ("down 2", ["Nothing", "Everything", "Something"]),
        ("up 2", ["Nothing", "Something", "Everything"]),
        ("down 0", ["Nothing", "Something", "Everything"]),
        ("remove 1", ["Nothing", "Everything"]),
        ("add 0", ["Nothing", "Something", "Everything", ""]),
        ("remove 7", ["Nothing", "Something", "Everything"]),
    ],
)
def test_levels_move_come_and_go_by_buttons(editor: Editor, button: str, names: list[str]) -> None:
    assert field(editor.post(do=button).text, "name") == names


def test_a_level_that_moves_takes_its_examples_along() -> None:
    step = Example("q", "d", "why")
    text = RubricText([LevelText(0, "A", "A?"), LevelText(1, "B", "B?", (step,)), LevelText(2, "C", "C?")], threshold=2)
    moved = changed(text, "down 1")
    assert moved
    assert [(level.number, level.name, level.examples) for level in moved.levels] == [
        (0, "B", (step,)),
        (1, "A", ()),
        (2, "C", ()),
    ]
    fewer = changed(text, "remove 0")
    assert fewer
    assert fewer.threshold == 1
    assert changed(text, "save") is None


def test_another_example_is_a_blank_one_and_blank_ones_are_not_kept(editor: Editor) -> None:
    page = editor.post(do="example 1").text
    assert field(page, "example_query")[2:5] == ["rotate a key", "close an account", ""]
    blank = {name: [*FORM[name], ""] for name in ("example_query", "example_document", "example_why")}
    read = editor.published(**blank, example_of=[*FORM["example_of"], "1 examples"])
    assert len(read["levels"][1]["examples"]) == 2


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"example_of": ["1 examples"]}, "Each level has all its fields."),
        ({"reason_leads_to": ["level 3", "left out"]}, "can’t lead to"),
        ({"reason": ["boring", "broken"]}, "can’t lead to"),
        ({"example_why": ["x" * 4001, "", ""]}, "longer than"),
        ({"threshold": "3"}, "binary threshold"),
    ],
)
def test_a_form_that_can_not_be_is_refused_in_words(editor: Editor, change: dict[str, Any], why: str) -> None:
    refused = editor.post(do="save", **change)
    assert (refused.status_code, why in refused.text) == (422, True)


# Templates


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda template: template.name)
def test_a_template_fills_the_page_and_can_be_published_as_it_is(editor: Editor, template: Template) -> None:
    page = editor.browser.get(f"{editor.address}/draft?template={template.name}").text
    assert field(page, "question") == [level.question for level in template.text.levels]
    assert "Not saved yet." in page
    assert "The lint finds nothing." in page
    listed = {each["name"]: each for each in editor.script.get(f"{editor.api}/templates").json()}
    chosen = listed[template.name]
    gain = {"gain": "table", "gain_table": chosen["gain_table"]} if chosen["gain_table"] else {}
    written = editor.script.put(editor.api, json=chosen["rubric"] | gain).json()
    assert written["findings"] == []
    assert editor.script.post(f"{editor.api}/publication", json={}).json()["threshold"] == template.text.threshold


# What a level is worth


def test_the_gain_is_chosen_beside_the_levels_until_a_version_is_published(cast: Cast, editor: Editor) -> None:
    table = {"gain": "table", "gain_of": ["0", ".01", "1"], "gain_reason": "A buyer takes the thing or nothing."}
    assert editor.post(do="save", **table).status_code == 303
    project = cast.see_project(editor.project)
    assert (project.gain, project.gain_table, project.gain_reason) == ("table", [0, 0.01, 1], table["gain_reason"])
    assert field(editor.browser.get(f"{editor.address}/draft").text, "gain_of") == ["0", "0.01", "1"]
    editor.published(**table)
    refused = editor.post(do="save", gain="linear", gain_reason="Now so.")
    assert refused.status_code == 409
    assert "settled when the first version was published" in refused.text
    page = editor.browser.get(f"{editor.address}/draft").text
    assert 'name="gain"' not in page
    assert 'Gain <b class="num">0.01</b>' in page


def test_a_gain_that_can_not_be_keeps_the_text_and_says_so(cast: Cast, editor: Editor) -> None:
    for gains, why in (
        (["0", "", "1"], "no gain yet"),
        (["0", "2", "1"], "gain less"),
        (["0", "x", "1"], "not a number"),
    ):
        refused = editor.post(do="save", gain="table", gain_of=gains, gain_reason="So.")
        assert (refused.status_code, why in refused.text) == (422, True)
        assert field(refused.text, "gain_of") == gains
    assert cast.see_project(editor.project).gain == "exponential"
    assert field(editor.browser.get(f"{editor.address}/draft").text, "name") == FORM["name"]


def test_the_product_template_brings_its_gains_along(editor: Editor) -> None:
    page = editor.browser.get(f"{editor.address}/draft?template=products").text
    assert field(page, "gain_of") == [f"{gain:g}" for gain in PRODUCTS.gain_table or ()]
    assert "worth 0, 0.01, 0.1, 1, in place of what the project has now, if" in page


def test_another_gain_asks_for_a_reason_of_its_own(editor: Editor) -> None:
    reason = re.compile(r'name="gain_reason"[^>]*>([^<]*)<')
    own = reason.findall(editor.browser.get(f"{editor.address}/draft").text)
    assert own[0]
    assert reason.findall(editor.browser.get(f"{editor.address}/draft?template=action").text) == own
    assert reason.findall(editor.browser.get(f"{editor.address}/draft?template=products").text) == [""]


# Lint, picker, preview


def test_the_lint_reads_what_is_typed_and_saves_nothing(editor: Editor) -> None:
    typed = FORM | {"question": ["Are they where they were?", "Can they act?", "Is it the best answer?"]}
    part = editor.browser.post(f"{editor.address}/draft/lint", data=typed, headers={"HX-Request": "true"}).text
    assert "1 level compares documents, which needs a reason" in part
    assert re.search(r'id="findings-2" hx-swap-oob="true">\s*<p class="finding blocks"', part)
    assert "<html" not in part
    assert editor.script.get(editor.api).status_code == 404


def test_an_example_is_picked_from_the_corpus_and_kept_as_it_was_shown(cast: Cast, editor: Editor) -> None:
    long = "All about keys. " * 100
    cast.corpus(
        editor.project, queries={"q1": "rotate a key", "q2": "red shoes"}, documents={"d1": long, "e1": "Shoes."}
    )
    to = editor.post(do="pick 1 counter_examples").headers["location"]
    assert to == f"{editor.address}/draft/examples?level=1&kind=counter_examples"
    page = editor.browser.get(f"{to}&find_query=key&find_document=d").text
    told = ("rotate a key" in page, "red shoes" in page, 'hint">d1<' in page, 'hint">e1<' in page)
    assert told == (True, False, True, False)
    chosen = ids_of(cast, editor.project) | {"level": "1", "kind": "counter_examples", "why": "Not how."}
    back = editor.browser.post(f"{editor.address}/draft/examples", data=chosen)
    assert back.headers["location"] == f"{editor.address}/draft#level-1"
    page = editor.browser.get(f"{editor.address}/draft").text
    assert field(page, "example_why").count("Not how.") == 1
    (document,) = [each for each in field(page, "example_document") if each.startswith("All about keys.")]
    assert document.endswith(" …")
    assert len(document) < 610
    assert field(page, "instructions") == ["Read the document whole."]


def ids_of(cast: Cast, project: str) -> dict[str, str]:
    with cast.database.session(writes=False) as session:
        return {
            "query_id": session.scalars(select(Query.id).where(Query.project_id == project, Query.qid == "q1")).one(),
            "document_id": session.scalars(
                select(Document.id).where(Document.project_id == project, Document.docno == "d1")
            ).one(),
        }


def test_an_example_of_another_project_can_t_be_picked(cast: Cast, editor: Editor) -> None:
    other = cast.project(editor.lead, name="Another")
    cast.corpus(other, queries={"q1": "secret"}, documents={"d1": "Secret."})
    editor.post(do="save")
    refused = editor.browser.post(
        f"{editor.address}/draft/examples", data=ids_of(cast, other) | {"level": "1", "kind": "examples"}
    )
    assert refused.status_code == 422
    for level in (3, 9):
        assert editor.browser.get(f"{editor.address}/draft/examples?level={level}").status_code == 404


def test_the_preview_is_the_desk_s_own_rail(cast: Cast, editor: Editor) -> None:
    cast.corpus(editor.project, queries={}, documents={"d1": "All about keys."})
    preview = editor.post(do="preview").headers["location"]
    page = editor.browser.get(preview).text
    assert re.findall(r'data-key="(\d)"', page) == ["2", "1", "0"]
    for words in ("All about keys.", "An error page.", "Read the document whole.", "Whom to write to"):
        assert words in page


def test_without_a_draft_there_is_nothing_to_look_at(editor: Editor) -> None:
    client: TestClient = editor.browser
    for path in ("preview", "examples?level=0"):
        assert client.get(f"{editor.address}/draft/{path}").status_code == 404


# What a reason leads to


def test_a_pair_that_nobody_could_judge_is_at_level_0_where_the_rubric_says_so(cast: Cast) -> None:
    story = Story(cast)
    script, address = cast.script(story.lead, story.project), f"/api/v1/projects/{story.project}/rubric"
    script.put(address, json={"levels": LEVELS, "refusals": {"broken": {"leads_to": "level 0"}}})
    script.post(f"{address}/publication", json={})
    answers: dict[str, tuple[int | str, int | str]] = {
        "both": ("broken", "broken"),
        "mixed": ("broken", "query unclear"),
        "other": ("other", "other"),
        "differ": ("broken", 0),
        "graded": (2, 2),
    }
    story.judge(
        [(f"{at}", "d", name, each) for at, said in answers.items() for name, each in zip("bc", said, strict=True)]
    )
    release = story.freeze(waiver_reason="A trial.")
    assert story.judgments(release) == {("both", "d"): (0, "agreed"), ("graded", "d"): (2, "agreed")}
    assert '"level_0_if_unjudgeable": [\n      "broken"\n    ]' in release.manifest
