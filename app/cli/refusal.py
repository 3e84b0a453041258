"""What a command would not do, and the exit statuses."""

from typing import Any

RULE_SAYS_NO, BAD_INPUT, OWN_FAULT = 1, 2, 70
"""Exit statuses: a rule says no (gate, failed check); usage, bad input, or the server can't be reached; and what should
never come: a fault in this program.
"""
Json = dict[str, Any]


class Refusal(Exception):
    """What the server, or this command, would not do."""

    def __init__(self, sentence: str, way_out: str = "", *, status: int = 422, details: Json | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.way_out = way_out
        self.status = status
        self.details = details or {}
