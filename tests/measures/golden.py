"""The golden cases of the field's libraries, and what each of their conventions is in our words."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.measures.conventions import Convention, Geometric

FILE = Path(__file__).parents[1] / "cases" / "conventions.json"
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in json.loads(FILE.read_text(encoding="utf-8"))["cases"]}

MEASURES = {"ndcg": "nDCG", "dcg": "DCG", "recall": "recall", "precision": "precision", "judged": "judged"} | {
    "rbp": "RBP",
    "rbp_resid": "RBP-residual",
}
TIES = {"docid_desc": "docno", "docid_desc_f32": "docno32", "file": "position"} | {
    name: name for name in ("average", "optimistic")
}
IDEALS = {"all_judged": "judged", "returned": "returned"}

NOT_OURS = {
    "C076": "documents that were not returned are put below the list as one tied group, and earn credit there",
    "C092": "as C076",
    "C134": "as C076",
    "C271": "as C076",
    "C103": "the ideal is over the returned top k",
    "C104": "the ideal is over the returned top k",
    "C115": "negative grades take gain away",
    "C159": "ties are broken against the run",
    "C206": "the rank column overrules the scores",
    "C289": "grades below the threshold lose their gain in nDCG",
    "C290": "ties go to the lower document id",
    "C293": "ties go to the lower document id",
    "C291": "the share of unjudged documents counts ranks that were never filled as judged",
    "C308": "grades with a fraction are cut off to whole numbers",
    "C318": "documents named like the query are dropped",
}
OF_THE_IDEAL = {case["id"] for case in CASES.values() if case["kind"] == "idcg"}
OF_THE_DISCOUNT = {case["id"] for case in CASES.values() if case["kind"] == "mass"}
EXPRESSED = sorted(set(CASES) - set(NOT_OURS) - OF_THE_IDEAL - OF_THE_DISCOUNT)


def convention_of(case: Mapping[str, Any], **changed: Any) -> Convention:
    """The case's choices in our words; a gain map and a geometric p stand in the name or go without saying."""
    theirs = case["convention"] | changed
    return Convention(
        measure=MEASURES.get(case["kind"], case["kind"]),
        k=case["k"],
        gain=gain_in(case) or theirs["gain"],
        discount=Geometric(theirs.get("p", 0.85)) if is_geometric(case) else theirs["discount"],
        ideal=IDEALS.get(theirs["ideal"], theirs["ideal"]),
        unjudged=theirs["unjudged"],
        ties=TIES.get(theirs["ties"], theirs["ties"]),
        no_relevant=theirs["norel"],
        missing="zero" if theirs["mean_over"] == "qrels" else "exclude",
        threshold=theirs.get("rel", 1),
    )


def gain_in(case: Mapping[str, Any]) -> tuple[float, ...] | None:
    """A gain that stands in the name of the measure, or that the program takes without saying."""
    if "gains={0:0,1:1,2:3,3:7}" in case["measure"]:
        return (0, 1, 3, 7)
    return (0, 1, 1, 1) if case["measure"].startswith("rbp_resid") else None  # trec_eval's RBP is binary.


def is_geometric(case: Mapping[str, Any]) -> bool:
    return bool(case["convention"]["discount"] == "geometric" or case["kind"].startswith("rbp"))
