"""What the desk shows beside a document: what leads may choose, and what becomes of grades when it changes."""

from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select

from app.corpora.models import Document
from app.judging.showing import telling_fields
from tests.judging.windows import bring_in_documents
from tests.make import Cast

LINES = [
    {"id": f"d{at}", "title": f"T{at}", "text": "a", "price": f"{at} EUR", "brand": "Shoes", "score": "48151"}
    for at in range(4)
]


@dataclass(frozen=True)
class Shop:
    """A project with documents that have prices, and somebody to judge them."""

    cast: Cast
    lead: str
    ben: str
    project: str
    pool: str
    labellers: tuple[str, ...]

    @classmethod
    def open(cls, cast: Cast) -> "Shop":
        lead, ben, cleo = cast.person("ana"), cast.person("ben"), cast.person("cleo")
        project = cast.project(lead)
        cast.rubric(project)
        labellers = tuple(cast.member(project, person, "labeller") for person in (ben, cleo))
        pool = cast.pool(project, {"q1": [each["id"] for each in LINES]})
        bring_in_documents(cast, lead, project, [*LINES[:3], {"id": "d3", "title": "T3", "text": "a"}])
        return cls(cast, lead, ben, project, pool, labellers)

    @property
    def home(self) -> str:
        return f"/projects/{self.project}"

    def choose(self, *, status: int = 200, **showing: Any) -> dict[str, Any]:
        answer = self.cast.script(self.lead, self.project).put(f"/api/v1{self.home}/showing", json=showing)
        assert answer.status_code == status, answer.text
        said: dict[str, Any] = answer.json()
        return said

    def asked(self) -> list[dict[str, Any]]:
        """What a labeller's script is asked, by docno."""
        listed = self.cast.script(self.ben, self.project).get(f"/api/v1{self.home}/assignments?state=all").json()
        return sorted(listed, key=lambda each: str(each["document"]["docno"]))

    def hashes(self) -> dict[str, str]:
        with self.cast.database.session(writes=False) as session:
            return {row.docno: row.text_hash for row in session.scalars(select(Document))}


@pytest.fixture
def shop(cast: Cast) -> Shop:
    return Shop.open(cast)


def test_chosen_fields_stand_at_the_desk_in_their_order_and_no_others(shop: Shop) -> None:
    shop.choose(fields=["price", "brand"])
    shop.cast.round(shop.project, shop.pool, shop.labellers)
    fields = [list(each["document"]["fields"].items()) for each in shop.asked()]
    assert fields == [[("price", f"{number} EUR"), ("brand", "Shoes")] for number in range(3)] + [[]]
    browser = shop.cast.browser(shop.ben)
    pages = [browser.get(f"{shop.home}/desk/{each['id']}").text for each in shop.asked()]
    pages += [browser.get(f"{shop.home}/desk/ahead", headers={"HX-Request": "true"}).text]
    assert '<dt dir="auto">price</dt><dd dir="auto">1 EUR</dd>' in "".join(pages)
    assert "48151" not in "".join([*pages, str(shop.asked())])


def test_what_is_shown_is_part_of_what_a_grade_was_given_on(shop: Shop) -> None:
    plain = shop.hashes()
    round_ = shop.cast.round(shop.project, shop.pool, shop.labellers)
    script, browser = shop.cast.script(shop.ben, shop.project), shop.cast.browser(shop.lead)
    for each in shop.asked():
        body = {name: each[name] for name in ("key", "revision", "text_hash")} | {"level": 1}
        assert script.post(f"/api/v1{shop.home}/assignments/{each['id']}/grades", json=body).status_code == 201
    refused = shop.choose(fields=["price"], status=409)["error"]
    assert "Round 1 is open" in refused["sentence"]
    assert browser.post(f"{shop.home}/rounds/{round_}/closure").status_code == 303
    shop.choose(fields=["price"])
    shown = shop.hashes()
    assert {docno for docno in plain if plain[docno] != shown[docno]} == {"d0", "d1", "d2"}
    assert "3 grades" in browser.get(f"{shop.home}/rounds/{round_}").text
    bring_in_documents(shop.cast, shop.lead, shop.project, [LINES[0], {**LINES[1], "price": "9 EUR"}])
    again = shop.hashes()
    assert again["d0"] == shown["d0"]
    assert again["d1"] != shown["d1"]
    shop.choose()
    assert shop.hashes() == plain


def test_a_field_whose_name_promises_a_score_is_shown_only_to_whoever_was_warned(shop: Shop) -> None:
    error = shop.choose(fields=["price", "score"], status=409)["error"]
    assert error["details"] == {"conditions": ["blindness"], "fields": ["score"]}
    page = shop.cast.browser(shop.lead).post(f"{shop.home}/showing", data={"fields": "score"})
    assert page.status_code == 409
    assert "is_warned" in page.text
    assert shop.choose(fields=["score"], is_warned=True)["fields"] == ["score"]
    telling = ["bm25", "finalRank", "run_id", "RELEVANCE", "gold-label", "qrel", "judgment"]
    assert telling_fields([*telling, "price", "brand", "ground", "trunk", "released", "rating"]) == telling


@pytest.mark.parametrize(
    ("showing", "field", "words"),
    [
        ({"fields": ["pirce"]}, "fields", "No document has a field “pirce”"),
        ({"fields": ["price"], "picture": "brand"}, "picture", "not among those that are shown"),
        ({"fields": [str(number) for number in range(21)]}, "fields", "more than 20"),
        ({"hosts": ["https://a.example"]}, "hosts", "not the name of a host"),
        ({"hosts": ["a.example; script-src *"]}, "hosts", "not the name of a host"),
        ({"hosts": [f"h{number}.example" for number in range(21)]}, "hosts", "more than 20"),
    ],
)
def test_what_can_not_be_shown_is_refused_by_its_field(
    shop: Shop, showing: dict[str, Any], field: str, words: str
) -> None:
    before = shop.hashes()
    error = shop.choose(**showing, status=422)["error"]
    assert error["details"]["field"] == field
    assert words in error["sentence"]
    typed = {name: value if isinstance(value, str) else "\n".join(value) for name, value in showing.items()}
    page = shop.cast.browser(shop.lead).post(f"{shop.home}/showing", data=typed)
    assert page.status_code == 422
    assert f"fault-{field}" in page.text
    assert shop.hashes() == before


def test_scripts_are_given_no_other_pictures_than_people_see(shop: Shop) -> None:
    pictures = "".join(f'<img src="https://{host}.example/a.png" alt="{host}">' for host in ("pics", "elsewhere"))
    bring_in_documents(shop.cast, shop.lead, shop.project, [{"id": "d0", "html": pictures}])
    shop.choose(hosts=["pics.example"])
    shop.cast.round(shop.project, shop.pool, shop.labellers)
    html = shop.asked()[0]["document"]["html"]
    assert 'src="https://pics.example/a.png"' in html
    assert "elsewhere.example" not in html
    assert "[picture: elsewhere]" in html


def test_the_choice_is_kept_shown_and_told(shop: Shop) -> None:
    browser = shop.cast.browser(shop.lead)
    typed = {"fields": " brand \r\nprice\r\n\r\n", "picture": "brand", "hosts": "Images.Shop.example"}
    assert browser.post(f"{shop.home}/showing", data=typed).status_code == 303
    assert shop.cast.script(shop.lead, shop.project).get(f"/api/v1{shop.home}/showing").json() == {
        "fields": ["brand", "price"],
        "picture": "brand",
        "hosts": ["images.shop.example"],
    }
    assert "Beside a document’s text the desk shows brand, price." in browser.get(f"{shop.home}/showing").text
    assert "brand, price; pictures of images.shop.example" in browser.get(f"{shop.home}/history").text


def test_languages_stand_where_a_browser_reads_them(cast: Cast) -> None:
    lead, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(lead)
    cast.rubric(project)
    labeller = cast.member(project, ben, "labeller")
    queries = b'{"qid": "q1", "text": "rote Schuhe", "lang": "de"}\n{"qid": "q2", "text": "red shoes"}\n'
    handed_in = {"file": ("queries.jsonl", queries)}
    assert cast.script(lead, project).post(f"/api/v1/projects/{project}/imports/queries", files=handed_in).is_success
    bring_in_documents(cast, lead, project, [{"id": "d1", "text": "חם", "lang": "he"}, {"id": "d2", "text": "warm"}])
    pool = cast.pool(project, {"q1": ["d1"], "q2": ["d2"]})
    cast.round(project, pool, [labeller], kind="main", overlap=0.0, is_warned=True)
    browser, desk = cast.browser(ben), f"/projects/{project}/desk"
    listed = cast.script(ben, project).get(f"/api/v1/projects/{project}/assignments").json()
    pages = {each["query"]["qid"]: browser.get(f"{desk}/{each['id']}").text for each in listed}
    assert '<h1 id="query" dir="auto" lang="de">rote Schuhe' in pages["q1"]
    assert '<div class="body" dir="auto" lang="he">' in pages["q1"]
    assert '<h1 id="query" dir="auto">red shoes' in pages["q2"]
    assert '<div class="body" dir="auto">' in pages["q2"]
