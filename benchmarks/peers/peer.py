"""Another program for judging, asked as the script of its own page asks it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import httpx2


class Peer(ABC):
    """A served peer and one browser that is signed in."""

    def __init__(self, address: str, process: int) -> None:
        self.address = address
        self.process = process
        self.client = httpx2.Client(base_url=address, timeout=120)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """SystemExit where it refuses: then there is nothing to compare."""
        answer = self.client.request(method, path, json=body) if body is not None else self.client.request(method, path)
        if not answer.is_success:
            raise SystemExit(
                f"No ratios: {method} {self.address}{path} answered {answer.status_code}: {answer.text[:300]}"
            )
        return answer.json()

    @abstractmethod
    def prepare(self, texts: Sequence[str]) -> None:
        """Signs in, makes a project of the texts, and looks at the first."""

    @abstractmethod
    def save_and_next(self, level: int) -> None:
        """Saves a grade of the text in sight, and gets the next."""

    @abstractmethod
    def kept(self) -> Sequence[int]:
        """The levels that it holds, in the order of the texts."""
