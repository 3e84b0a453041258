"""Label Studio, as pip installs it and `label-studio start` serves it: SQLite, one process."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.install import program
from benchmarks.peers.peer import Peer
from benchmarks.servers import free_port, running

WHO, PASSWORD = "ana@example.org", "four-quiet-words-together"
QUIET = {"COLLECT_ANALYTICS": "0", "LATEST_VERSION_CHECK": "0", "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "1"}
CONFIG = """<View><Text name="text" value="$text"/><Choices name="grade" toName="text">
<Choice value="0"/><Choice value="1"/><Choice value="2"/><Choice value="3"/></Choices></View>"""


class LabelStudio(Peer):
    """One labeller's browser, signed in."""

    def prepare(self, texts: Sequence[str]) -> None:
        self.sign_in()
        self.project = self.ask("POST", "/api/projects/", {"title": "Desk", "label_config": CONFIG})["id"]
        self.ask("POST", f"/api/projects/{self.project}/import", [{"text": text} for text in texts])
        self.task = self.next_task()

    def sign_in(self) -> None:
        page = self.client.get("/user/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert token, page.text[:300]
        form = {"email": WHO, "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
        answer = self.client.post("/user/login/", data=form, headers={"Referer": self.address})
        assert answer.status_code == 302, answer.text[:300]
        self.client.headers.update({"X-CSRFToken": self.client.cookies["csrftoken"], "Referer": self.address})

    def next_task(self) -> int:
        number: int = self.ask("GET", f"/api/projects/{self.project}/next")["id"]
        return number

    def save_and_next(self, level: int) -> None:
        choice = {"from_name": "grade", "to_name": "text", "type": "choices", "value": {"choices": [str(level)]}}
        body = {"result": [choice], "lead_time": 1.0}
        self.ask("POST", f"/api/tasks/{self.task}/annotations/?project={self.project}", body)
        self.task = self.next_task()

    def kept(self) -> Sequence[int]:
        tasks = self.ask("GET", f"/api/projects/{self.project}/export?exportType=JSON")
        return [int(each["result"][0]["value"]["choices"][0]) for task in tasks for each in task["annotations"]]


@contextmanager
def serving(folder: Path) -> Iterator[LabelStudio]:
    port = free_port()
    account = ["--username", WHO, "--password", PASSWORD]
    command: list[str | Path] = [
        program("label-studio"),
        "start",
        "--no-browser",
        "--port",
        str(port),
        "--data-dir",
        folder,
        *account,
    ]
    address = f"http://127.0.0.1:{port}"
    with running(command, QUIET | {"HOME": str(folder)}, ready=f"{address}/health", log=folder / "log") as process:
        yield LabelStudio(address, process)
