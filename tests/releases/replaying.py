"""The same project again, on any database: printed by a process of its own, in whatever locale, hash seed or processor.

`python -m tests.releases.replaying sqlite:////tmp/new.db` migrates the database, replays and prints manifest and qrels.
"""

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from app.formats.qrels import write_qrels
from app.main import create_app
from app.releases.models import Release
from app.releases.queries import each_judgment
from app.settings import Settings
from tests.agreement.judged import Said, publish_rubric
from tests.make import Cast
from tests.migrating import migrate
from tests.releases.story import Story, agreeing


def replay(url: str, directory: Path) -> tuple[bytes, bytes]:
    """Manifest and qrels of a project with every source, awkward ids and names, and much left out."""
    app = create_app(Settings(database_url=url, uploads_dir=directory / "uploads"))
    try:
        story = Story(Cast(app, app.state.database))
        story.judge([*awkward(), ("q30", "outside", "Éva", 0), ("q30", "outside", "Ötzi", 1)])
        with story.cast.database.session(writes=True) as session:
            publish_rubric(session, story.project)
        story.judge(agreeing(names=("Zoë", "anna")))
        story.judge(awkward(), kind="main")
        story.judge(
            [(f"q{each % 9:02}", f"d{each % 9:02}-{each % 7}", "Éva", 0) for each in range(40)], kind="imported"
        )
        story.judge([("q30", "outside", "Éva", 0), ("q30", "outside", "Ötzi", 0)], kind="imported")
        story.decide("é", "<dbpedia:Büsingen>", 2)
        story.decide("Q", "no judgment", None)
        release = story.freeze("Première", waiver_reason="Éva is new; the “trial” ends\ntoday.")
        return release.manifest.encode(), qrels_of(story, release)
    finally:
        app.state.database.close()


def awkward() -> list[Said]:
    return [
        ("é", "<dbpedia:Büsingen>", "anna", 0),
        ("é", "<dbpedia:Büsingen>", "Zoë", 3),
        ("é", "\U0001f4a1", "Zoë", 1),
        ("é", "\uff5e", "Zoë", 2),
        ("Q", "no judgment", "anna", 1),
        ("Q", "no judgment", "Zoë", 2),
        ("Q", "broken", "anna", "broken"),
        ("Q", "a", "anna", 1),
        ("Q", "B", "anna", 1),
        ("q", "D10", "anna", 0),
        ("q", "D9", "anna", 0),
        ("q", "d9", "anna", None),
    ]


def qrels_of(story: Story, release: Release) -> bytes:
    open_session = partial(story.cast.database.session, writes=False)
    return b"".join(write_qrels(each_judgment(open_session, project_id=story.project, release_id=release.id)))


if __name__ == "__main__":
    migrate(sys.argv[1])
    with TemporaryDirectory() as folder:
        sys.stdout.buffer.write(b"".join(replay(sys.argv[1], Path(folder))))
