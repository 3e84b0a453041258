"""doccano, as pip installs it and `doccano webserver` serves it: SQLite, gunicorn."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.install import program
from benchmarks.peers.peer import Peer
from benchmarks.servers import free_port, running

WHO, PASSWORD = "ana", "four-quiet-words-together"
KIND = {"project_type": "DocumentClassification", "resourcetype": "TextClassificationProject"}


class Doccano(Peer):
    """One labeller's browser, signed in."""

    def prepare(self, texts: Sequence[str]) -> None:
        self.ask("POST", "/v1/auth/login/", {"username": WHO, "password": PASSWORD})
        self.client.headers.update({"X-CSRFToken": self.client.cookies["csrftoken"], "Referer": self.address})
        about = {
            "name": "Desk",
            "description": "Desk",
            "guideline": "",
            "single_class_classification": True,
            "tags": [],
        }
        self.at = f"/v1/projects/{self.ask('POST', '/v1/projects', about | KIND)['id']}"
        self.labels = [self.ask("POST", f"{self.at}/category-types", {"text": str(level)})["id"] for level in range(4)]
        for text in texts:
            self.ask("POST", f"{self.at}/examples", {"text": text})
        self.passed = 0
        self.examples = [self.next_example()]

    def next_example(self) -> int:
        page = self.ask("GET", f"{self.at}/examples?limit=1&offset={self.passed}")
        number: int = page["results"][0]["id"]
        return number

    def save_and_next(self, level: int) -> None:
        """Its page asks for a text's categories after each change of them, and with each new text."""
        categories = f"{self.at}/examples/{self.examples[-1]}/categories"
        self.ask("POST", categories, {"label": self.labels[level]})
        self.ask("GET", categories)
        self.passed += 1
        self.examples.append(self.next_example())
        self.ask("GET", f"{self.at}/examples/{self.examples[-1]}/categories")

    def kept(self) -> Sequence[int]:
        given = [self.ask("GET", f"{self.at}/examples/{each}/categories") for each in self.examples[:-1]]
        return [self.labels.index(each["label"]) for categories in given for each in categories]


@contextmanager
def serving(folder: Path) -> Iterator[Doccano]:
    port, home = free_port(), {"HOME": str(folder)}
    with (folder / "log").open("ab") as log:
        for arguments in (["init"], ["createuser", "--username", WHO, "--password", PASSWORD]):
            subprocess.run([program("doccano"), *arguments], env=os.environ | home, stdout=log, stderr=log, check=True)
    command: list[str | Path] = [program("doccano"), "webserver", "--port", str(port)]
    address = f"http://127.0.0.1:{port}"
    with running(command, home, ready=f"{address}/", log=folder / "log") as process:
        yield Doccano(address, process)
