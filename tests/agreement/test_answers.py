"""What is counted in columns is what one would count pair by pair."""

from collections import defaultdict
from itertools import combinations
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from app.agreement.adjudication_queries import is_differing, is_one_apart
from app.agreement.answers import KINDS, shared
from app.agreement.queries import Asked, PairGrade
from app.corpora.models import NO_TEXT
from app.rubrics.models import EXPERTISE, UNCLEAR

NAMES = ("ana", "ben", "cai")


class Told(NamedTuple):
    """One answer: an answer of None was never given."""

    pair: int
    labeller: str
    round_number: int
    answer: int | str | None
    text: str


def asked(rows: list[Told]) -> Asked:
    grades = [
        PairGrade(
            pair_id=f"p{row.pair}",
            query_id=f"q{row.pair % 2}",
            labeller_id=row.labeller,
            round_number=row.round_number,
            grade_id=None if row.answer is None else f"g{at}",
            level=row.answer if isinstance(row.answer, int) else None,
            reason=row.answer if isinstance(row.answer, str) else None,
            text_hash=None if row.answer is None else row.text,
        )
        for at, row in enumerate(rows)
    ]
    return Asked._make([grade[at] for grade in grades] for at in range(len(Asked._fields)))


told = st.builds(
    Told,
    pair=st.integers(0, 4),
    labeller=st.sampled_from([*NAMES, "a machine"]),
    round_number=st.integers(1, 3),
    answer=st.sampled_from([0, 1, 2, 3, 0, 1, UNCLEAR, "broken", EXPERTISE, None]),
    text=st.sampled_from(["one", "one", "other", NO_TEXT]),
)


@given(st.lists(told, max_size=40, unique_by=lambda row: row[:3]))
def test_columns_say_what_pairs_say_one_by_one(rows: list[Told]) -> None:
    answers = shared(asked(rows), NAMES)
    pairs = pair_by_pair(rows)
    ids = answers.pair_ids(answers.pair[answers.starts])
    assert sorted(ids) == sorted(pairs)
    counted = answers.told(range(len(answers.pair)))
    assert sorted(counted) == sorted(grade for grades in pairs.values() for grade in grades)
    assert [grade.labeller_id for grade in counted] == [answers.labeller_ids[at] for at in answers.labeller.tolist()]
    first, second = answers.couples
    couples = zip(answers.told(first.tolist()), answers.told(second.tolist()), strict=True)
    assert sorted(couples) == sorted(each for grades in pairs.values() for each in couples_of(grades))
    kinds = {pair: KINDS[kind] for pair, kind in zip(ids, answers.left_out.tolist(), strict=True)}
    assert kinds == {pair: left_out_as(grades) for pair, grades in pairs.items()}
    differing, is_by_one = answers.differing()
    said = {
        pair: {grade.level for grade in grades if grade.is_answered and grade.reason != EXPERTISE}
        for pair, grades in pairs.items()
    }
    assert dict(zip(answers.pair_ids(differing), is_by_one.tolist(), strict=True)) == {
        pair: is_one_apart(said[pair]) for pair, grades in pairs.items() if is_differing(grades)
    }


def pair_by_pair(rows: list[Told]) -> dict[str, list[PairGrade]]:
    """Of each pair that was asked of two of the NAMES or more, what each says, in their order."""
    grades = [PairGrade(*row) for row in zip(*asked(rows), strict=True)]
    newest = {}
    for grade in sorted(grades, key=lambda grade: (grade.is_answered, grade.round_number)):
        if grade.labeller_id in NAMES:
            newest[grade.pair_id, grade.labeller_id] = grade
    pairs = defaultdict(list)
    for (pair, _), grade in sorted(newest.items()):
        pairs[pair].append(grade)
    return {pair: given for pair, given in pairs.items() if len(given) > 1}


def couples_of(grades: list[PairGrade]) -> list[tuple[PairGrade, PairGrade]]:
    """None of a pair of which two texts were graded, as a release has none of it."""
    judged = [grade for grade in grades if grade.level is not None]
    return list(combinations(judged, 2)) if len({grade.text_hash for grade in judged} - {NO_TEXT}) < 2 else []


def left_out_as(grades: list[PairGrade]) -> str | None:
    judged = sum(grade.level is not None for grade in grades)
    refused = sum(grade.reason is not None for grade in grades)
    if judged >= 2:
        return ("beside" if refused else None) if couples_of(grades) else "text"
    if judged + refused < 2:
        return "ungraded"
    return "one" if judged else "both"
