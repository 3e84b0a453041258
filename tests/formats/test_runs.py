"""Runs: the field's own files, odd lines, and the promise that no query is split and no line lost."""

import io
import random
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.formats.errors import FormatError
from app.formats.runs import Ranking, RunLine, read_rankings, read_runs


class OneWay(io.RawIOBase):
    """A stream that can't go back, as a pipe, and gives little at a time."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece = self._content.read(min(len(buffer), 1000))
        buffer[: len(piece)] = piece
        return len(piece)


def rankings(text: str | bytes, **options: object) -> list[Ranking]:
    content = text.encode() if isinstance(text, str) else text
    return list(read_rankings(io.BytesIO(content), "runs.txt", **options))  # type: ignore[arg-type]


def refusal(text: str | bytes, **options: object) -> str:
    with pytest.raises(FormatError) as caught:
        rankings(text, **options)
    return str(caught.value)


def of_file(path: Path) -> list[Ranking]:
    with path.open("rb") as file:
        return list(read_rankings(file, path.name))


def plainly(path: Path) -> dict[str, list[tuple[str, float]]]:
    """The same file, taken apart in the most obvious way."""
    found: dict[str, list[tuple[str, float]]] = {}
    for line in path.read_text().splitlines():
        words = line.split()
        found.setdefault(words[0], []).append((words[2], float(words[4])))
    return found


@pytest.mark.parametrize(
    ("file", "queries", "lines", "tag"),
    [
        ("trec_eval-official/results.test", 3, 1500, "STANDARD"),
        ("trec_eval-official/results.trunc", 2, 584, "STANDARD"),
        ("trec_eval-official/results-302.test", 1, 500, "STANDARD"),
        ("trec_eval-official/results.comment.test", 301, 30_100, "comment.test"),
        ("liveqa-med/runs/lqa-qld.run", 104, 10_400, "lqa-qld"),
        ("liveqa-med/runs/lqa-bm25.run", 104, 9827, "lqa-bm25"),
        ("chorus-products/runs/chorus-tfidf.run", 118, 4892, "chorus-tfidf"),
        ("awkward/irmeasures-run.multispace.no-final-newline.cwl.run", 3, 30, "R1"),
        ("awkward/pyserini-run.negative-scores-indri.txt", 4, 20, "IndriQueryLikelihood"),
        ("awkward/pyserini-run.no-final-newline.qid-0.txt", 2, 2, "simple"),
        ("awkward/pyserini-run.rank-gap.equals-in-tag.txt", 2, 3, "reciprocal_rank_fusion_k=60"),
        ("awkward/pyserini-run.tabs.txt", 2, 2, "simple"),
    ],
)
def test_runs_of_the_field_are_read_whole(shared_data: Path, file: str, queries: int, lines: int, tag: str) -> None:
    found = of_file(shared_data / file)
    assert len(found) == queries
    assert sum(len(ranking.docnos) for ranking in found) == lines
    assert {ranking.tag for ranking in found} == {tag}
    assert {r.qid: list(zip(r.docnos, r.scores, strict=True)) for r in found} == plainly(shared_data / file)


def test_line_by_line_says_the_same_as_whole_rankings(shared_data: Path) -> None:
    path = shared_data / "trec_eval-official" / "results.trunc"
    with path.open("rb") as file:
        lines = list(read_runs(file, path.name))
    assert lines[0] == RunLine("301", "FBIS3-27619", "99", 2.138276, "STANDARD")
    whole = {ranking.qid: list(ranking.docnos) for ranking in of_file(path)}
    assert whole == {qid: [line.docno for line in lines if line.qid == qid] for qid in ("301", "303")}
    assert [line.line for line in lines] == list(range(1, 585))


def test_a_ranking_keeps_the_order_of_the_file() -> None:
    assert rankings("1 Q0 b 2 1.0 t\n1 Q0 a 1 2.0 t\n") == [Ranking("1", ("b", "a"), array("d", [1.0, 2.0]), "t")]


@pytest.mark.parametrize("seed", range(5))
def test_no_order_of_lines_loses_one_or_splits_a_query(seed: int) -> None:
    dice = random.Random(seed)
    lines = [f"q{q} Q0 d{d} 1 {d / 7!r} t" for q in range(40) for d in range(300)]
    dice.shuffle(lines)
    for i in range(0, len(lines), 97):
        lines.insert(i, dice.choice(["", "# a comment", "   "]))
    text = "\n".join(lines)
    expected: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("q"):
            expected.setdefault(line.split()[0], []).append(line.split()[2])
    found = rankings(text)
    assert len(found) == 40
    assert {ranking.qid: list(ranking.docnos) for ranking in found} == expected
    one_way = read_rankings(OneWay(text.encode()), "pipe")  # type: ignore[arg-type]
    assert list(one_way) == found


def test_a_query_that_comes_back_does_not_hold_up_the_others() -> None:
    text = "1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n3 Q0 a 1 2 t\n1 Q0 b 2 1 t\n4 Q0 a 1 2 t\n"
    assert [ranking.qid for ranking in rankings(text)] == ["2", "3", "1", "4"]


READ_AND_MEASURE = """
import resource, sys
from app.formats.runs import read_rankings
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(sys.argv[1], "rb") as file:
    count = sum(len(ranking.docnos) for ranking in read_rankings(file, "long.run"))
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_a_long_run_streams_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.run"
    with path.open("w") as file:
        for query in range(1000):
            file.writelines(f"q{query} Q0 document-{query}-{d} {d + 1} {1000 - d}.5 t\n" for d in range(1000))
    command = [sys.executable, "-c", READ_AND_MEASURE, str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    count, kibibytes = map(int, answer.stdout.split())
    assert count == 1_000_000
    assert kibibytes * 1024 < 16_000_000 < path.stat().st_size / 2


def test_lines_that_differ_from_the_rest_keep_their_numbers() -> None:
    text = "\n\n1 Q0 a 1 2.0 t\n# c\n  # c\n1 Q0 b 2 1.0 t more words\n1 Q0 a 3 0.5 t\n"
    assert 'line 7: the document "a" has been ranked for query "1" already on line 3' in refusal(text)


def test_ids_are_kept_byte_for_byte() -> None:
    ids = ["007", "91e70966", "34952194402811904", "<dbpedia:Büsingen_am_Hochrhein>", "a\u00a0b", "e\u0301", "é", "x#y"]
    text = "".join(f"q Q0 {docno} 1 1.0 t\n" for docno in ids)
    assert rankings(text)[0].docnos == tuple(ids)


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        ("1_0", 'the score "1_0" is not a number'),
        ("0x1F", 'the score "0x1F" is not a number'),
        ("٣", 'the score "٣" is not a number'),
        ("1e", 'the score "1e" is not a number'),
        ("--1", 'the score "--1" is not a number'),
        ("NaN", "not a finite number"),
        ("-inf", "not a finite number"),
        ("Infinity", "not a finite number"),
        ("1e999", "too large"),
        ("2,5", "decimal comma"),
    ],
)
def test_a_score_that_is_no_plain_number_is_refused(score: str, reason: str) -> None:
    message = refusal(f"1 Q0 a 1 2.0 t\n1 Q0 b 2 {score} t\n")
    assert message.startswith("runs.txt, line 2: ")
    assert reason in message


@pytest.mark.parametrize("score", ["2", "-2.5", "+1", ".5", "5.", "1e-7", "2.5E+3", "-0.0", "1e-999"])
def test_plain_numbers_are_scores(score: str) -> None:
    assert rankings(f"1 Q0 a 1 {score} t\n")[0].scores[0] == float(score)


def test_the_sentence_says_file_line_reason_line_and_way_out() -> None:
    assert refusal("1 Q0 a 1 abc t") == (
        'runs.txt, line 1: the score "abc" is not a number. The line reads “1 Q0 a 1 abc t”. '
        "Give a number such as 12.5."
    )


@pytest.mark.parametrize("line", ["1 Q0 my doc 1 2.0 t", "1 Q0 my doc 1 2.0"])
def test_a_blank_inside_an_id_is_not_read_as_something_else(line: str) -> None:
    assert "the rank" in refusal(line)


@pytest.mark.parametrize("lines", ["q1 d1 Q0 1 2 R\n", "q1 Q0 d0 1 3 R\nq1 d1 Q0 2 2 R\n", "q1 d1 Q0 1 2\n"])
def test_a_document_in_the_place_of_q0_is_refused_with_the_columns_that_are_meant(lines: str) -> None:
    said = refusal(lines, tag="mine")
    assert "the third column, where the document stands, is Q0" in said
    assert f"line {lines.count(chr(10))}" in said
    assert "Write each line as: query Q0 document rank score tag." in said


def test_a_document_may_be_called_q0() -> None:
    (ranking,) = rankings("q1 Q0 Q0 1 2 R\n")
    assert ranking.docnos == ("Q0",)


def test_two_systems_in_one_file_are_refused_unless_it_is_named() -> None:
    text = "1 Q0 a 1 2 first\n2 Q0 a 1 2 second\n"
    assert 'line 2: the tag is "second" here and "first" on line 1' in refusal(text)
    assert {ranking.tag for ranking in rankings(text, tag="mine")} == {"mine"}


def test_a_long_id_is_refused() -> None:
    assert "line 1: an id is longer than 1,000 bytes" in refusal(f"1 Q0 {'a' * 1001} 1 2.0 t\n")


def test_five_columns_are_read_where_the_run_is_named() -> None:
    assert rankings("1 Q0 a 1 2.0\n", tag="mine") == [Ranking("1", ("a",), array("d", [2.0]), "mine")]


def test_old_mac_line_ends_do_not_pass_for_one_long_line() -> None:
    assert "carriage return" in refusal("1 Q0 a 1 2 t\r1 Q0 b 2 1 t\r")


def test_all_problems_are_told_where_somebody_listens() -> None:
    text = "1 Q0 a 1 x t\n1 Q0 b 2 1 t\n1 Q0 b 3 1 t\nshort\n2 Q0 a 1 1 u\n"
    problems: list[FormatError] = []
    found = rankings(text, on_problem=problems.append)
    assert sorted(problem.line or 0 for problem in problems) == [1, 3, 4, 5]
    assert [(ranking.qid, ranking.docnos) for ranking in found] == [("1", ("b",)), ("2", ("a",))]


def test_the_reader_is_lazy() -> None:
    found: Iterator[Ranking] = read_rankings(io.BytesIO(b""), "runs.txt")
    with pytest.raises(FormatError, match="the file holds no rankings"):
        next(found)
