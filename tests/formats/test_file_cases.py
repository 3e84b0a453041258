"""The odd files on which five programs differ, and Adjudge's answer to each (docs/formats.md says why)."""

import io
import json
from pathlib import Path

import pytest

from app.formats.errors import FormatError
from app.formats.qrels import read_qrels
from app.formats.runs import read_rankings

CASES = json.loads((Path(__file__).parents[1] / "cases" / "file_cases.json").read_text())

AB = {"1": [("a", 2.0), ("b", 1.0)]}
RUN_ANSWERS: dict[str, dict[str, list[tuple[str, float]]] | str] = {
    "plain": AB,
    "no final newline": AB,
    "CRLF": AB,
    "tabs": AB,
    "UTF-8 BOM": AB,
    "blank line inside": AB,
    "comment line": AB,
    "duplicate doc same score": 'line 2: the document "a" has been ranked for query "1" already on line 1',
    "duplicate doc, second lower": 'line 3: the document "a" has been ranked for query "1" already on line 1',
    "five columns (no tag)": "line 1: the line has 5 columns where a run has six",
    "seven columns (tag with space)": AB,
    "scientific score": AB,
    "nan score": 'line 1: the score "nan" is not a finite number',
    "decimal comma": 'line 1: the score "2,5" has a decimal comma',
    "non-numeric score": 'line 1: the score "high" is not a number',
    "query interleaved": AB | {"2": [("z", 1.0)]},
    "doc id with #": {"1": [("a", 2.0), ("b#x", 1.5), ("b", 1.0)]},
    "empty file": "the file holds no rankings",
}

PLAIN = [("1", "a", 3), ("1", "b", 1)]
QRELS_ANSWERS: dict[str, list[tuple[str, str, int]] | str] = {
    "plain": PLAIN,
    "CRLF": PLAIN,
    "BOM": PLAIN,
    "blank line": PLAIN,
    "comment": PLAIN,
    # trec_eval refuses a line that is merely repeated; the design accepts it and counts it, since nothing is in doubt.
    "duplicate same grade": PLAIN,
    "duplicate other grade": 'line 3: the pair "1", "a" has grade 0 here and 3 on line 1',
    "float grade 2.7": 'line 1: the grade "2.7" is not a whole number',
    "grade 1.0": 'line 1: the grade "1.0" is not a whole number',
    "negative": [("1", "a", -1), ("1", "b", 1)],
    "three columns": "line 1: the line has 3 columns where qrels have four",
    "five columns": "line 1: the line has 5 columns where qrels have four",
    "non-numeric grade": 'line 1: the grade "rel" is not a number',
    "header line": 'line 1: the grade "rel" is not a number',
    "empty": "the file holds no judgments",
}


def test_every_case_has_an_answer() -> None:
    assert {case["case"] for case in CASES if case["file"] == "run"} == RUN_ANSWERS.keys()
    assert {case["case"] for case in CASES if case["file"] == "qrels"} == QRELS_ANSWERS.keys()


@pytest.mark.parametrize("case", [c for c in CASES if c["file"] == "run"], ids=lambda c: c["case"])
def test_a_run_is_read_or_refused_as_documented(case: dict[str, str]) -> None:
    answer = RUN_ANSWERS[case["case"]]
    rankings = read_rankings(io.BytesIO(case["text"].encode()), "r.trec")
    if isinstance(answer, str):
        with pytest.raises(FormatError) as caught:
            list(rankings)
        assert answer in str(caught.value)
        assert caught.value.way_out
    else:
        assert {r.qid: list(zip(r.docnos, r.scores, strict=True)) for r in rankings} == answer


@pytest.mark.parametrize("case", [c for c in CASES if c["file"] == "qrels"], ids=lambda c: c["case"])
def test_qrels_are_read_or_refused_as_documented(case: dict[str, str]) -> None:
    answer = QRELS_ANSWERS[case["case"]]
    judgments = read_qrels(io.BytesIO(case["text"].encode()), "q.trec")
    if isinstance(answer, str):
        with pytest.raises(FormatError) as caught:
            list(judgments)
        assert answer in str(caught.value)
        assert caught.value.way_out
    else:
        assert [(j.qid, j.docno, j.grade) for j in judgments] == answer
