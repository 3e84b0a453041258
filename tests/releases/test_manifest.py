"""The manifest: the same bytes wherever the same data lie, and nothing in it that is not about the judged set."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from app.judging.models import Round
from app.measures import Undefined
from app.releases.manifest import canonical, figure, file_name, marks_of, read_manifest, slug
from tests.conftest import ROOT
from tests.make import Cast
from tests.releases.replaying import replay
from tests.releases.story import Story, agreeing


def test_the_same_project_leaves_the_same_bytes_from_both_databases(
    sqlite_url: str, postgresql_url: str, tmp_path: Path
) -> None:
    manifest, qrels = replay(sqlite_url, tmp_path)
    assert (manifest, qrels) == replay(postgresql_url, tmp_path)
    assert qrels.decode().splitlines()[:2] == ["Q 0 B 1", "Q 0 a 1"]
    assert qrels.decode().splitlines()[-3:] == ["é 0 <dbpedia:Büsingen> 2", "é 0 ～ 2", "é 0 💡 1"]
    counts = json.loads(manifest)["counts"]
    assert set(counts["sources"]) == {"agreed", "adjudicated", "imported", "single"}
    assert set(counts["left_out"]) == {
        "nobody has graded it yet",
        "the adjudicator found that no judgment can be given",
        "the labellers differ and nobody has decided",
        "unjudgeable: broken",
    }


@pytest.mark.parametrize(
    "surroundings",
    [
        {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"},
        {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "0", "TZ": "America/Adak"},
        {"PYTHONHASHSEED": "3", "OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3"},
    ],
    ids=["C locale", "Turkish locale", "older processor"],
)
def test_no_locale_hash_seed_or_processor_moves_a_byte(
    surroundings: dict[str, str], sqlite_url: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.releases.replaying", f"sqlite:///{tmp_path / 'other.db'}"]
    other = subprocess.run(command, env={**os.environ, **surroundings}, cwd=ROOT, capture_output=True, check=True)
    assert other.stdout == b"".join(replay(sqlite_url, tmp_path))


def test_nobody_and_no_row_is_named_in_it(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing(names=("Zelda Quist", "Bruno Ypsilanti")))
    story.judge([("q00", f"d00-{pair}", "Wilma Xu", 0) for pair in range(10)], kind="main")
    assert "Wilma Xu" in story.conditions()["gate"].sentence
    release = story.freeze(waiver_reason="The trial ends today.")
    assert "labeller-2 used one level only" in read_manifest(release)["gate"]["sentence"]
    for secret in ("Zelda", "Bruno", "Wilma", "ana@example.org", story.project, story.lead, release.id):
        assert secret not in release.manifest
    labellers = read_manifest(release)["labellers"]
    assert [one["name"] for one in labellers] == ["labeller-1", "labeller-2", "labeller-3"]
    assert [one["versus_rest"]["pairs"] for one in labellers] == [300, 10, 300]


def test_it_is_canonical_json() -> None:
    text = canonical({"b": [1, 0.1], "a": {"é": None, "B": True}})
    assert text == '{\n  "a": {\n    "B": true,\n    "é": null\n  },\n  "b": [\n    1,\n    0.1\n  ]\n}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"kappa": float("nan")})


def test_a_figure_is_rounded_where_processors_differ_and_undefined_says_why() -> None:
    assert figure(0.1 + 0.2) == 0.3
    assert figure(1 / 3) == 0.333333333333
    assert figure(Undefined("one level was used")) == {"undefined": "one level was used"}


def test_the_manifest_tells_the_whole_story(cast: Cast) -> None:
    story = Story(cast)
    story.judge(agreeing())
    with cast.database.session(writes=True) as session:
        hidden = session.scalars(select(Round).where(Round.project_id == story.project)).one()
        hidden.repeats, hidden.quiz = 0.05, 3
    manifest = read_manifest(story.freeze("Autumn"))
    assert manifest["gated"] is True
    assert manifest["waiver_reason"] is None
    assert manifest["release"] == {"number": 1, "name": "Autumn", "kind": "judged"}
    assert manifest["gate"]["answer"] == "passed"
    assert (manifest["gate"]["pairs"], manifest["gate"]["queries"]) == (300, 30)
    assert manifest["gate"]["low"] < manifest["gate"]["kappa"] < manifest["gate"]["high"]
    assert manifest["policy"]["name"] == "standard"
    assert manifest["policy"]["line"] == 0.5
    assert manifest["gain"] == {
        "name": "exponential",
        "table": None,
        "reason": "One perfect answer matters most.",
    }
    assert [level["number"] for level in manifest["rubric"]["levels"]] == [0, 1, 2, 3]
    assert manifest["rubric"]["threshold"] == 1
    (version,) = manifest["rubric"]["versions"]
    assert (version["number"], len(version["text_hash"])) == (1, 64)
    (round_,) = manifest["rounds"]
    assert round_ == {
        "number": 1,
        "kind": "agreement",
        "seed": 1,
        "overlap": 1.0,
        "repeats": 0.05,
        "quiz": 3,
        "rubric": 1,
        "queries": 30,
        "pairs": 300,
    }


def test_the_file_name_says_what_the_release_is(cast: Cast) -> None:
    story = Story(cast, policy="exploratory")
    story.judge(agreeing())
    gated = story.freeze()
    assert file_name(gated, ".qrels") == "developer-help-release-1-exploratory.qrels"
    assert marks_of(gated) == ["exploratory"]
    story.judge([("q", "d", "dora", 2)], kind="main")
    ungated = story.freeze(waiver_reason="The trial ends today.")
    assert marks_of(ungated) == ["ungated", "exploratory"]
    assert file_name(ungated, ".qrels") == "developer-help-release-2-ungated-exploratory.qrels"


@pytest.mark.parametrize(
    ("text", "plain"),
    [('Größe/../"x"\r\nSet-Cookie: a', "groe-x-set-cookie-a"), ("検索", ""), ("..", ""), ("A" * 99, "a" * 60)],
)
def test_a_name_becomes_safe_for_files_and_headers(text: str, plain: str) -> None:
    assert slug(text).replace("grosse", "groe") == plain
