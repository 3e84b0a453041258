"""The desk by command: what it shows, as a lead chooses it and as a labeller reads it."""

import pytest

from tests.cli.terminal import Terminal
from tests.judging.windows import bring_in_documents
from tests.make import Cast
from tests.serving import LiveServer


@pytest.mark.timeout(600)
def test_what_a_lead_chooses_stands_beside_the_text(cast: Cast, live_server: LiveServer) -> None:
    lead, ben = cast.person("ana"), cast.person("ben")
    project = cast.project(lead)
    cast.rubric(project)
    member = cast.member(project, ben, "labeller")
    pool = cast.pool(project, {"q1": ["d1"]})
    bring_in_documents(cast, lead, project, [{"id": "d1", "html": "<p>Red<p>shoes", "price": "12 EUR", "score": 7}])
    of_lead, of_ben = (
        Terminal(
            {
                "ADJUDGE_URL": live_server.url,
                "ADJUDGE_PROJECT": project,
                "ADJUDGE_TOKEN": cast.token(person, project, "write"),
            }
        )
        for person in (lead, ben)
    )
    assert "Fields: none" in of_lead.run("desk", "showing").stdout
    assert "“score” tells of scores" in of_lead.run("desk", "choose", "--field", "score", status=1).stderr
    chosen = of_lead.run("desk", "choose", "--field", "price", "--host", "images.shop.example").stdout
    assert chosen.splitlines() == ["Fields: price", "Pictures of: images.shop.example"]
    cast.round(project, pool, [member], kind="main", overlap=0.0, is_warned=True)
    lines = of_ben.run("desk", "next").stdout.splitlines()
    assert [line.strip() for line in lines if line][-3:] == ["price: 12 EUR", "Red", "shoes"]
