"""Text with a NUL, which PostgreSQL can't hold, is refused or not found, and never a failure."""

import pytest

from tests.make import LEVELS, Cast


@pytest.mark.parametrize("address", ["/projects/%00", "/projects/a%00b/rounds", "/invitations/%00", "/set-up/%00"])
def test_an_address_with_a_nul_leads_nowhere(cast: Cast, address: str) -> None:
    assert cast.browser(cast.person("ana")).get(address).status_code in {404, 422}


def test_a_text_with_a_nul_changes_nothing_or_is_kept(cast: Cast) -> None:
    lead = cast.person("ana")
    project = cast.project(lead)
    answer = cast.script(lead, project).put(
        f"/api/v1/projects/{project}/rubric", json={"levels": LEVELS, "instructions": "a\x00b"}
    )
    assert answer.status_code in {200, 422}
    assert cast.browser(lead).get(f"/projects/{project}/rubric/draft").status_code == 200
