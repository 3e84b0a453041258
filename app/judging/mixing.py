"""Hidden checks among a labeller's pairs, drawn by lot. Pure, and repeatable from the seed.

A pair that comes again can't come with its query's others: those are over by then. So that a query which comes back
says nothing, a few fresh pairs are held back to come then too; and for each gold query of a quiz as many fresh pairs of
another are brought forward among them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from app.judging.choosing import PooledPair, by_query
from app.judging.lots import lot
from app.judging.models import Purpose


@dataclass(frozen=True)
class Stop:
    """Pairs of one query, as a labeller comes to them: in this order, one after the other."""

    pairs: Sequence[PooledPair]
    seat: int
    checks: Collection[str] = ()
    """Ids of those that come as a check: shown again, or gold."""
    as_check: Purpose = "repeat"

    @property
    def qid(self) -> str:
        return self.pairs[0].qid

    def purpose_of(self, pair: PooledPair) -> Purpose:
        return self.as_check if pair.id in self.checks else "judging"

    def without(self, pairs: Collection[str]) -> "Stop":
        return replace(self, pairs=[pair for pair in self.pairs if pair.id not in pairs])


@dataclass(frozen=True)
class GoldPair:
    """A pair and the level that it is known to have."""

    level: int
    pair: PooledPair


@dataclass(frozen=True)
class Chance:
    """Lots of one labeller under one seed."""

    labeller: str
    seed: int

    def of(self, purpose: str, *names: str) -> bytes:
        return lot(self.seed, purpose, self.labeller, *names)

    def shuffled(self, purpose: str, pairs: Iterable[PooledPair]) -> list[PooledPair]:
        return sorted(pairs, key=lambda pair: self.of(purpose, pair.qid, pair.docno))


def count_repeats(sizes: Sequence[int], share: float) -> int:
    """How many pairs come again of stops of such sizes, in their order: those of the last one have no later."""
    return min(round(share * sum(sizes)), sum(sizes[:-1]))


def with_checks(
    stops: Sequence[Stop], quiz: Sequence[PooledPair], *, share: float, labeller: str, seed: int
) -> list[Stop]:
    """The labeller's stops with the share `share` of their pairs shown again, each with at least one other query in
    between, behind a quiz, which has no pair of theirs. Every pair of the stops is judged once, and the first of each
    stays where it is.
    """
    chance = Chance(labeller, seed)
    again, held = draw_returning(stops, count_repeats([len(stop.pairs) for stop in stops], share), chance)
    gold, rest = quiz_stops(quiz), [stop.without(held) for stop in stops]
    forward = bring_forward([stop.without(again) for stop in rest], gold, chance)
    opening = sorted([*gold, *forward], key=lambda stop: chance.of("opening", stop.qid, stop.as_check))
    early = {pair.id for stop in forward for pair in stop.pairs}
    return [*opening, *with_returning(stops, [stop.without(early) for stop in rest], again, held, chance)]


def draw_returning(stops: Sequence[Stop], number: int, chance: Chance) -> tuple[set[str], set[str]]:
    """Ids of `number` pairs that come again, and of about as many that are held back, drawn in one lot: whoever meets
    one of them behind its query can't tell which it is.
    """
    drawn = chance.shuffled("comes back", chain.from_iterable(stop.pairs for stop in stops[:-1]))[: 2 * number]
    again = {pair.id for pair in chance.shuffled("repeat", drawn)[:number]}
    firsts = {stop.pairs[0].id for stop in stops}
    return again, {pair.id for pair in drawn} - again - firsts


def with_returning(
    stops: Sequence[Stop], rest: Sequence[Stop], again: set[str], held: set[str], chance: Chance
) -> Iterator[Stop]:
    """`rest` in its order, and behind a later one what comes back of each of the whole `stops`."""
    after: dict[int, list[Stop]] = {}
    for at, stop in enumerate(stops):
        coming = chance.shuffled("order of returning", (pair for pair in stop.pairs if pair.id in again | held))
        if coming:
            later = range(at + 1, len(stops))
            place = later[int.from_bytes(chance.of("place of repeats", stop.qid)) % len(later)]
            after.setdefault(place, []).append(replace(stop, pairs=coming, checks=again))
    for at, stop in enumerate(rest):
        yield stop
        yield from after.get(at, ())


def bring_forward(stops: Sequence[Stop], gold: Sequence[Stop], chance: Chance) -> list[Stop]:
    """For each gold stop one with as many fresh pairs, as far as there are, of one of `stops`: of queries without gold
    first.
    """
    golden = {stop.qid for stop in gold}
    able = [stop for stop in stops if len(stop.pairs) > 1]
    able.sort(key=lambda stop: (stop.qid in golden, chance.of("brought forward", stop.qid)))
    sizes = sorted((len(stop.pairs) for stop in gold), reverse=True)
    return [replace(stop, pairs=stop.pairs[1 : 1 + size]) for stop, size in zip(able, sizes, strict=False)]


def draw_quiz(
    gold: Sequence[GoldPair],
    number: int,
    *,
    labeller: str,
    seed: int,
    nearness: Callable[[PooledPair], tuple[bool, ...]] = lambda _: (),
) -> list[PooledPair]:
    """At most `number` of them, in an order that tells no level. The least near are drawn first, and among those as
    many of each level as of any other as far as there are.
    """
    chance = Chance(labeller, seed)
    alike: dict[tuple[tuple[bool, ...], int], list[PooledPair]] = {}
    for each in gold:
        alike.setdefault((nearness(each.pair), each.level), []).append(each.pair)
    in_turns = sorted(
        (near, turn, level, pair)
        for (near, level), found in alike.items()
        for turn, pair in enumerate(chance.shuffled("quiz", found))
    )
    return chance.shuffled("order of the quiz", (pair for *_, pair in in_turns[:number]))


def quiz_stops(pairs: Iterable[PooledPair]) -> list[Stop]:
    """One stop a query; it fills no seat."""
    return [
        Stop(found, seat=1, checks={pair.id for pair in found}, as_check="gold") for found in by_query(pairs).values()
    ]
