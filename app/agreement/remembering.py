"""The answers of closed rounds, kept in the process: they change no more, and reading them is what costs most.

A round's answers are recalled only while its mark is the one that they were read under. Reopening a round and closing
it again gives it another, and so does every grade.
"""

from collections import OrderedDict
from collections.abc import Iterable
from itertools import chain
from threading import Lock
from typing import Final

from sqlalchemy.orm import Session

from app.agreement.queries import Asked, RoundMark, asked_in_round, marks_of_family

MOST_ANSWERS: Final = 1_000_000
"""Some 200 MB; what was asked for longest ago is forgotten first."""


class Memory:
    """Answers by round, each with the mark of the round as it was when they were read."""

    def __init__(self, most: int = MOST_ANSWERS) -> None:
        self._most, self._size, self._lock = most, 0, Lock()
        self._rounds: OrderedDict[str, tuple[RoundMark, Asked]] = OrderedDict()

    def recall(self, mark: RoundMark) -> Asked | None:
        with self._lock:
            known = self._rounds.get(mark.round_id)
            if known is None or known[0] != mark:
                return None
            self._rounds.move_to_end(mark.round_id)
            return known[1]

    def keep(self, mark: RoundMark, asked: Asked) -> None:
        with self._lock:
            self._drop(self._rounds.pop(mark.round_id, None))
            self._rounds[mark.round_id] = mark, asked
            self._size += len(asked.pair_id)
            while self._size > self._most:
                self._drop(self._rounds.popitem(last=False)[1])

    def _drop(self, known: tuple[RoundMark, Asked] | None) -> None:
        self._size -= len(known[1].pair_id) if known else 0


MEMORY: Final = Memory()


def asked_in_family(session: Session, project_id: str, family: int) -> Asked:
    """Every labeller's newest grade of every pair that was asked of them in the family, round by round."""
    return joined(asked_under(session, project_id, mark) for mark in marks_of_family(session, project_id, family))


def joined(rounds: Iterable[Asked]) -> Asked:
    """What was asked in all of them, one after the other."""
    return Asked(*(list(chain.from_iterable(columns)) for columns in zip(NOTHING, *rounds, strict=True)))


NOTHING: Final = Asked((), (), (), (), (), (), (), ())


def asked_under(session: Session, project_id: str, mark: RoundMark) -> Asked:
    asked = MEMORY.recall(mark)
    if asked is None:
        asked = asked_in_round(session, project_id, mark.round_id, mark.number)
        if not mark.is_open:
            MEMORY.keep(mark, asked)
    return asked
