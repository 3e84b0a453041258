"""What a file of grades leaves unsaid: who was asked and gave none.

People judge whole queries. Where two or more of a file graded a query, a pair of it with one grade alone lacks an
answer: it is left out of kappa, and counted, as a pair is that somebody passed over at the desk. Two people may come in
two files: then those who graded one of somebody's pairs of the query lack an answer for the others.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from app.agreement.answers import numbered
from app.agreement.queries import Asked, PairGrade
from app.agreement.remembering import joined


def with_blanks(asked: Asked, imported: Collection[int], people: Collection[str]) -> Asked:
    """For each pair of the rounds `imported` that was asked of one of the `people` alone, those of them who graded its
    query there besides are put to `asked`, without an answer.
    """
    is_person = np.fromiter((each in people for each in asked.labeller_id), bool, len(asked.labeller_id))
    is_here = is_person & np.isin(np.asarray(asked.round_number, dtype=np.int64), list(imported))
    if not is_here.any():  # As in most projects.
        return asked
    pair, pairs = numbered(asked.pair_id)
    labeller, labellers = numbered(asked.labeller_id)
    people_of_pair = np.unique(pair[is_person] * len(labellers) + labeller[is_person]) // len(labellers)
    is_alone = is_here & (np.bincount(people_of_pair, minlength=len(pairs)) == 1)[pair]
    added = list(blanks(asked, is_here, is_alone)) if is_alone.any() else []
    return joined([asked, Asked(*zip(*added, strict=True))]) if added else asked


def blanks(asked: Asked, is_here: NDArray[np.bool_], is_alone: NDArray[np.bool_]) -> Iterator[PairGrade]:
    """`is_here` and `is_alone` (n,) say which rows of `asked` are of an imported round, and which of them are of a pair
    that nobody else was asked about.
    """
    asked_of: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for at in np.flatnonzero(is_here).tolist():
        asked_of[asked.pair_id[at]][asked.labeller_id[at]] = None
    of_file: defaultdict[tuple[int, str], dict[str, None]] = defaultdict(dict)
    beside: defaultdict[tuple[int, str, str], dict[str, None]] = defaultdict(dict)
    for at in np.flatnonzero(is_here).tolist():
        number, query_id, labeller_id = asked.round_number[at], asked.query_id[at], asked.labeller_id[at]
        of_file[number, query_id][labeller_id] = None
        beside[number, query_id, labeller_id] |= asked_of[asked.pair_id[at]]
    for at in np.flatnonzero(is_alone).tolist():
        number, query_id, labeller_id = asked.round_number[at], asked.query_id[at], asked.labeller_id[at]
        for other in of_file[number, query_id] | beside[number, query_id, labeller_id]:
            if other != labeller_id:
                yield PairGrade(asked.pair_id[at], query_id, other, number, None, None, None, None)
