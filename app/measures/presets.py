"""The conventions of the field's libraries, each with what it reproduces and what it can't."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from app.measures.conventions import Convention


@dataclass(frozen=True, slots=True)
class Preset:
    """A library's choices; `statement` says what they reproduce, where they part, and what they can't.

    `apart` are those of its measures that these choices don't give, each with what the library does instead.
    """

    name: str
    convention: Convention
    statement: str
    apart: tuple[tuple[Callable[[Convention], bool], str], ...] = ()

    def parts_at(self, convention: Convention) -> str | None:
        """Why a number under this convention is not the library's, as a sentence without its full stop; None where it
        is, or where the library has nothing of the kind.
        """
        said = next((why for is_apart, why in self.apart if is_apart(convention)), None)
        return said and f"{convention.name} is not that of {self.name}: {said}"


_TREC = Convention(k=10, gain="linear", no_relevant="zero")
"""The others are told by what they do otherwise."""
_PRESETS = (
    Preset(
        "trec",
        _TREC,
        "Equals trec_eval 9 and 10 with -c: gain is the grade, scores are compared as 64-bit numbers and ties "
        "go to the higher document id by bytes, a query without a relevant document and a query missing "
        "from the run both count as 0. Unlike pytrec_eval, the mean runs over every judged query, and scores "
        "that differ only beyond 32 bits are no tie. Grades are whole numbers there; a fraction is cut off by "
        "trec_eval and kept here. Its RBP is binary (gain=table:0,1,1,1 here), and its unj counts ranks that were "
        "never filled as judged.",
        ((lambda one: one.measure == "RBP" and one.gain == "linear", "there it is binary, gain=table:0,1,1,1 here"),),
    ),
    Preset(
        "pytrec_eval",
        replace(_TREC, ties="docno32", missing="exclude"),
        "Equals pytrec_eval: gain is the grade, scores are compared as 32-bit numbers, so that 1.00000001 and "
        "1.0 tie, and ties go to the higher document id by bytes. The mean runs over the queries that are "
        "both judged and in the run; a query without a relevant document counts as 0. Unlike trec, a query "
        "missing from the run is left out, which can raise the mean. It may never return from queries whose judgments "
        "are all negative, which count as queries without a relevant document here.",
    ),
    Preset(
        "ir_measures",
        replace(_TREC, ties="docno32"),
        "Equals ir_measures for nDCG, P, R, AP, RR without a cut-off, Success and Bpref, which it takes from "
        "pytrec_eval: scores are compared as 32-bit numbers and ties go to the higher document id by bytes. Unlike "
        "pytrec_eval, the mean runs over every judged query, and one missing from the run counts as 0. It takes RR@k, "
        "Judged and RBP from other programs, which compare scores as 64-bit numbers or break ties by the lower "
        "document id: none of them is reproduced where scores tie. Its Judged counts a query missing from the run as "
        "0; judged@k is of what was returned, and has no value there. Its nDCG with exponential gain is gdeval's.",
        (
            (
                lambda one: one.measure == "RR" and one.k is not None,
                "there scores are compared as 64-bit numbers and ties go to the lower document id",
            ),
            (
                lambda one: one.measure == "judged",
                "there ties go to the lower document id, and a query missing from the run counts as 0",
            ),
            (lambda one: one.measure.startswith("RBP"), "there another program orders documents whose scores tie"),
            (
                lambda one: one.measure == "nDCG" and one.gain == "exponential",
                "with exponential gain it takes gdeval's, which has a preset of its own",
            ),
        ),
    ),
    Preset(
        "ranx",
        replace(_TREC, ties="position"),
        "Equals ranx (ndcg, recall, precision, map, mrr, hit_rate; rbp with discount=geometric:p): gain is the grade "
        "and documents with equal scores keep the order of the file. Unlike trec, no document id decides a tie. "
        "What can't be reproduced: its order of more than fifteen tied documents, which is not stable, its -l option, "
        "which takes the gain from grades below the threshold too, and its bpref, which has no value where nothing "
        "irrelevant was judged and takes a grade below 0 for irrelevant.",
        (
            (
                lambda one: one.measure == "bpref",
                "there it has no value where nothing irrelevant was judged, and a grade below 0 is irrelevant",
            ),
        ),
    ),
    Preset(
        "burges",
        replace(_TREC, gain="exponential", ties="position"),
        "Equals ndcg_burges and dcg_burges of ranx, the form of Burges et al. (2005) that learning to rank uses: gain "
        "2^grade - 1, and documents with equal scores keep the order of the file. Unlike ranx, a top grade outweighs "
        "several middling ones. Unlike gdeval, no document id decides a tie. It can't say what a library does with "
        "grades that have a fraction: they count with theirs here.",
    ),
    Preset(
        "gdeval",
        replace(_TREC, gain="exponential"),
        "Equals the nDCG of gdeval.pl, which prints five decimals: gain 2^grade - 1, ties to the higher document id by "
        "bytes, 0 for a query without a relevant document and for one missing from the run. Unlike trec, the gain is "
        "exponential. Its cap of grades at 4 and its need for numbers as query ids are not reproduced: grades count as "
        "they are, and ids are kept as they are. Its default cut-off is 20; name the cut-off.",
    ),
    Preset(
        "scikit-learn",
        replace(_TREC, ties="average", ideal="returned", missing="exclude"),
        "Equals ndcg_score and dcg_score of scikit-learn: gain is the grade, documents with equal scores share what "
        "their ranks hold, and the ideal is over the documents that are passed, which here are those returned. Unlike "
        "trec, judged documents that the run missed do not count, so that one hit and nothing else scores 1. It "
        "refuses negative grades and lists of one document, which are scored here. Documents that were "
        "passed with the lowest score because the run missed them earn a little there and nothing here.",
    ),
)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({preset.name: preset for preset in _PRESETS})
