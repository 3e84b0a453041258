"""What two people or more were asked about, in columns: a hundred thousand answers are counted without a row for each.

In every array of `Answers` one place is one pair and one labeller, ordered by pair and in it by the labellers' names. A
labeller who graded a pair in two rounds of the family gave one grade of it: that of the later round, and no answer only
where there is none in any. Releases settle pairs by the same rule.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from app.agreement.queries import Asked, PairGrade
from app.corpora.models import NO_TEXT
from app.measures.kappa import Counts
from app.rubrics.models import EXPERTISE, UNCLEAR

NONE: Final = -1
"""In place of a level, a reason or a text: there is none."""
LeftOutAs = Literal["both", "one", "ungraded", "text", "beside"]
KINDS: Final[tuple[LeftOutAs | None, ...]] = (None, "both", "one", "ungraded", "text", "beside")
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Answers:
    """`level` is the level's number, `reason` and `text` are numbers that tell reasons and texts apart."""

    asked: Asked
    places: Places
    """Where each answer stands in `asked`."""
    pair: Counts
    labeller: Counts
    """A place among `labeller_ids`."""
    level: Counts
    reason: Counts
    text: Counts
    """NONE for a text that never came here, too."""
    labeller_ids: Sequence[str]
    """Those who are in it, in the order of their names."""
    reasons: Sequence[str]

    @cached_property
    def starts(self) -> Places:
        """Where each pair begins."""
        return np.flatnonzero(np.diff(self.pair, prepend=NONE))

    @cached_property
    def couples(self) -> tuple[Places, Places]:
        """The answers, two by two, of everybody who gave a pair a level: not of a pair of which different texts were
        graded, as far as is known, since a release leaves it out, too.
        """
        firsts, seconds = [], []
        for apart in range(1, int(np.bincount(self.pair).max(initial=1))):
            first = np.flatnonzero(self.pair[apart:] == self.pair[:-apart])
            firsts.append(first)
            seconds.append(first + apart)
        first, second = (np.concatenate([np.empty(0, np.intp), *each]) for each in (firsts, seconds))
        is_judged = (self.level[first] != NONE) & (self.level[second] != NONE)
        is_counted = is_judged & self.is_of_one_text[self.pair[first]]
        first, second = first[is_counted], second[is_counted]
        order = np.lexsort((second, first))
        return first[order], second[order]

    @cached_property
    def is_of_one_text(self) -> NDArray[np.bool_]:
        """Whether all who gave the pair a level graded one text, as far as is known, for each pair."""
        if not len(self.starts):
            return np.empty(0, dtype=bool)
        is_known = (self.level != NONE) & (self.text != NONE)
        lowest = np.minimum.reduceat(np.where(is_known, self.text, np.iinfo(np.int64).max), self.starts)
        highest = np.maximum.reduceat(np.where(is_known, self.text, NONE), self.starts)
        is_one: NDArray[np.bool_] = lowest >= highest
        return is_one

    @cached_property
    def left_out(self) -> Counts:
        """For each pair a place among KINDS: `both` could not judge it, `one` could not, an answer is `ungraded`, or
        another `text` was graded. A pair with a couple that counts is left out as nothing, or `beside` it somebody else
        could not judge the pair.
        """
        size = len(self.starts)
        judged, refused = (np.bincount(self.pair[each != NONE], minlength=size) for each in (self.level, self.reason))
        is_counted = np.bincount(self.pair[self.couples[0]], minlength=size) > 0
        kinds = {"beside": is_counted & (refused > 0), None: is_counted, "text": judged >= 2}
        kinds |= {"ungraded": judged + refused < 2, "one": judged > 0}
        return np.select([*kinds.values()], [KINDS.index(kind) for kind in kinds], KINDS.index("both"))

    def differing(self) -> tuple[Places, NDArray[np.bool_]]:
        """The pairs that `is_differing` says are for a third person, and which of them are one level apart."""
        if not len(self.starts):
            return self.starts, np.empty(0, dtype=bool)
        is_level, is_refused = self.level != NONE, self.reason != NONE
        is_party = is_refused & (self.reason != self.number_of(EXPERTISE))
        lowest = np.minimum.reduceat(np.where(is_level, self.level, np.iinfo(np.int64).max), self.starts)
        highest = np.maximum.reduceat(self.level, self.starts)
        refusals, parties = (np.add.reduceat(each.astype(np.int64), self.starts) for each in (is_refused, is_party))
        is_unclear = np.logical_or.reduceat(self.reason == self.number_of(UNCLEAR), self.starts)
        is_any_level = highest != NONE
        differs = np.where(is_any_level, (lowest < highest) | (parties > 0), (refusals > 1) & is_unclear)
        found = np.flatnonzero(differs)
        return found, ((parties == 0) & (highest - lowest == 1))[found]

    def number_of(self, reason: str) -> int:
        return self.reasons.index(reason) if reason in self.reasons else len(self.reasons)

    def pair_ids(self, pairs: Places) -> list[str]:
        return [self.asked.pair_id[place] for place in self.places[self.starts[pairs]].tolist()]

    def told(self, at: Iterable[int]) -> list[PairGrade]:
        """The answers at these places, in full."""
        return [PairGrade(*(column[place] for column in self.asked)) for place in self.places[list(at)].tolist()]

    def told_pairs(self, kind: LeftOutAs) -> Iterator[list[PairGrade]]:
        """The answers of each pair that was left out for this reason."""
        ends = [*self.starts[1:].tolist(), len(self.pair)]
        for pair in np.flatnonzero(self.left_out == KINDS.index(kind)).tolist():
            yield self.told(range(int(self.starts[pair]), ends[pair]))


def shared(asked: Asked, names: Collection[str]) -> Answers:
    """What was asked of two of the labellers or more; `names` are their ids in the order of their names. What others
    were asked is left aside.
    """
    place = {labeller_id: at for at, labeller_id in enumerate(names)}
    labeller = np.fromiter((place.get(each, NONE) for each in asked.labeller_id), np.int64, len(asked.labeller_id))
    pair, _ = numbered(asked.pair_id)
    places = newest(pair * max(len(place), 1) + labeller, asked, np.flatnonzero(labeller != NONE))
    is_shared = np.bincount(pair[places])[pair[places]] > 1 if len(places) else np.empty(0, dtype=bool)
    places = places[is_shared]
    reason, reasons = numbered(asked.reason, None)
    text, _ = numbered(asked.text_hash, None, NO_TEXT)
    level = np.fromiter((NONE if each is None else each for each in asked.level), np.int64, len(asked.level))
    own, (people, of_people) = pair[places], np.unique(labeller[places], return_inverse=True)
    return Answers(
        asked=asked,
        places=places,
        pair=np.cumsum(np.diff(own, prepend=own[:1]) != 0),
        labeller=of_people,
        labeller_ids=[labeller_id for labeller_id, at in place.items() if at in set(people.tolist())],
        level=level[places],
        reason=reason[places],
        text=text[places],
        reasons=reasons,
    )


def newest(of_whom: Counts, asked: Asked, places: Places) -> Places:
    """Of these places the one that counts for each pair and labeller, whom `of_whom` tells apart, in their order."""
    is_answered = np.fromiter((each is not None for each in asked.grade_id), np.int64, len(asked.grade_id))
    rounds = np.asarray(asked.round_number, dtype=np.int64)
    ordered = places[np.lexsort((rounds[places], is_answered[places], of_whom[places]))]
    return ordered[np.flatnonzero(np.diff(of_whom[ordered], append=NONE))]


def numbered(values: Sequence[str | None], *absent: str | None) -> tuple[Counts, list[str]]:
    """A number for each value, and the values by number; NONE for those that stand for none."""
    following = count()
    numbers: defaultdict[str | None, int] = defaultdict(following.__next__, dict.fromkeys(absent, NONE))
    codes = np.fromiter(map(numbers.__getitem__, values), np.int64, len(values))
    return codes, [each for each, number in numbers.items() if number != NONE and each is not None]
