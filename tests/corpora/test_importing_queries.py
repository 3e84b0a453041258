"""Queries, from a file to rows, on pages and by script."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.make import Cast

FORMATS = ["tsv", "jsonl", "trec", "xml"]


def test_first(cast: Cast, shared_data: Path) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    ana = cast.browser(lead)
    at = f"/projects/{project}/imports/queries"
    assert ana.get(at).status_code == 200
    with (shared_data / "liveqa-med/topics.trec").open("rb") as file:
        a = ana.post(at, files={"file": ("topics.trec", file)})
    assert a.status_code == 303, a.text
    p = ana.get(a.headers["location"])
    assert p.status_code == 200
    print(p.text)
    b = ana.post(a.headers["location"], data={"encoding": "utf-8"})
    assert b.status_code == 303, b.text
    r = ana.get(b.headers["location"])
    print(r.text)
    script = cast.script(lead, project)
    with (shared_data / "liveqa-med/topics.trec").open("rb") as file:
        c = script.post(f"/api/v1{at}?dry_run=true", files={"file": ("topics.trec", file)})
    print(c.json())
    with (shared_data / "liveqa-med/topics.tsv").open("rb") as file:
        c = script.post(f"/api/v1{at}", files={"file": ("topics.trec", file)})
    print(c.json())
    c = script.post(f"/api/v1{at}", files={"file": ("x", b"a\tb\nc")})
    print(c.json())
    print(script.get(f"/api/v1{at}").json())
    assert 0
