"""`adjudge measure` on plain files: shapes that scripts rely on, no silent convention, faults with lines."""

import csv
import gzip
import io
import math
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.formats import splitting
from app.measures import core
from tests.cli.plain import Plain, plain

__all__ = ["plain"]
ROOT = Path(__file__).resolve().parent.parent.parent
QRELS = """\
1 0 a 3
1 0 b 2
1 0 c 0
2 0 a 1
3 0 a 0
4 0 a 2
"""
RUN = """\
1 Q0 b 1 3.0 bm25
1 Q0 x 2 2.0 bm25
1 Q0 a 3 1.0 bm25
2 Q0 a 1 1.0 bm25
3 Q0 a 1 1.0 bm25
9 Q0 a 1 1.0 bm25
"""
LINE = (
    "gain=exponential discount=log2 ideal=judged unjudged=zero ties=docno no-relevant=exclude missing=zero threshold=1"
)
FIRST = (3 + 7 / 2) / (7 + 3 / math.log2(3))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "judged.qrels").write_text(QRELS, "utf-8")
    (tmp_path / "bm25.run").write_text(RUN, "utf-8")
    return tmp_path / "judged.qrels", tmp_path / "bm25.run"


def test_the_json_has_convention_qrels_and_a_mean_and_every_query_of_each_run(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    answer = plain.ask("measure", *files, "--gain", "exponential", "-m", "nDCG@10", "-m", "recall@100")
    assert answer["convention"] == {
        "line": f"nDCG@10 {LINE}",
        "measure": "nDCG",
        "k": 10,
        "gain": "exponential",
        "discount": "log2",
        "ideal": "judged",
        "unjudged": "zero",
        "ties": "docno",
        "no_relevant": "exclude",
        "missing": "zero",
        "threshold": 1,
    }
    qrels, (run,) = answer["qrels"], answer["runs"]
    assert (qrels["path"], qrels["queries"], qrels["judgments"], len(qrels["sha256"])) == (str(files[0]), 4, 6, 64)
    assert (run["path"], run["tag"], len(run["sha256"]), run["unjudged_queries"]) == (str(files[1]), "bm25", 64, 1)
    ndcg = run["measures"]["nDCG@10"]
    assert ndcg["per_query"] == {"1": pytest.approx(FIRST, abs=1e-12), "2": 1.0, "3": None, "4": 0.0}
    assert ndcg["reasons"] == {"3": "no relevant document was judged for this query"}
    assert ndcg["mean"] == pytest.approx((FIRST + 1) / 3, abs=1e-12)
    assert (ndcg["reason"], ndcg["queries"], ndcg["no_relevant"], ndcg["missing"]) == (None, 3, 1, 1)
    assert run["measures"]["recall@100"]["convention"] == f"recall@100 {LINE}"


def test_a_mean_that_is_undefined_is_null_with_its_reason(plain: Plain, files: tuple[Path, Path]) -> None:
    choices = ("--gain", "linear", "--threshold", "9", "-m", "AP")
    (run,) = plain.ask("measure", *files, *choices)["runs"]
    assert run["measures"]["AP"]["mean"] is None
    assert run["measures"]["AP"]["reason"] == "no query has a value under this convention"
    assert any("undefined: no query has a value" in line for line in plain.run("measure", *files, *choices).lines)


def test_the_lines_begin_with_the_convention_and_say_what_the_means_run_over(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    lines = plain.run("measure", *files, "--gain", "exponential").lines
    assert lines[0] == f"nDCG@10 recall@100 judged@10 {LINE}"
    assert lines[1] == f"{files[0]}: 6 judgments of 4 queries"
    assert lines[3].split() == ["run", "nDCG@10", "recall@100", "judged@10"]
    assert lines[4].split() == ["bm25", f"{(FIRST + 1) / 3:.6f}", "0.666667", "0.888889"]
    counts = "1 not in the run, counted as 0, 1 without a relevant judgment, left out, 3 with fewer documents than"
    assert lines[5] == f"bm25, nDCG@10: mean of 3 queries; {counts} the cut-off"
    assert lines[-1] == "bm25: 1 query of the run without a judgment, in no number"


def test_each_query_has_its_line_where_asked(plain: Plain, files: tuple[Path, Path]) -> None:
    lines = plain.run("measure", *files, "--preset", "trec", "--per-query", "-m", "nDCG@10").lines
    assert [line.split()[:2] for line in lines[3:9]] == [
        ["run", "query"],
        *(["bm25", qid] for qid in ("1", "2", "3", "4", "mean")),
    ]


def test_the_csv_has_a_row_for_each_mean_and_for_each_query_with_the_convention_in_it(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    said = plain.run("measure", *files, "--gain", "exponential", "-m", "nDCG@10", "--csv", "--per-query")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert [row["qid"] for row in rows] == ["1", "2", "3", "4", ""]
    assert {row["convention"] for row in rows} == {f"nDCG@10 {LINE}"}
    assert float(rows[0]["value"]) == pytest.approx(FIRST, abs=1e-15)
    assert (rows[2]["value"], rows[2]["reason"]) == ("", "no relevant document was judged for this query")
    assert (rows[-1]["queries"], rows[-1]["no_relevant"], rows[-1]["missing"]) == ("3", "1", "1")
    assert float(rows[-1]["value"]) == pytest.approx((FIRST + 1) / 3, abs=1e-15)


def test_a_query_by_hand_shows_gain_discount_and_contribution_of_each_rank(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    choices = ("--gain", "exponential", "-m", "nDCG@2", "-m", "RBP-residual(p=0.5)", "--explain", "1")
    (run,) = plain.ask("measure", *files, *choices)["runs"]
    by_hand = run["measures"]["nDCG@2"]["by_hand"]
    assert [list(row.values()) for row in by_hand["rows"][:2]] == [
        [1, "b", 2, 3.0, 1.0, 3.0],
        [2, "x", None, 0.0, 1 / math.log2(3), 0.0],
    ]
    assert by_hand["total"] == 3.0
    assert by_hand["value"] == pytest.approx(3 / (7 + 3 / math.log2(3)), abs=1e-12)
    assert "look at RBP by hand" in run["measures"]["RBP-residual(p=0.5)"]["by_hand"]["reason"]
    lines = plain.run("measure", *files, *choices).lines
    assert "     1  b  2  3.000000 x 1.000000 = 3.000000" in lines
    assert any(line.startswith("bm25, query 1: nDCG@2 = 3.000000 / 8.892789 = 0.337352") for line in lines)
    rows = list(csv.reader(io.StringIO(plain.run("measure", *files, *choices, "--csv").out)))
    assert rows[0][4:] == ["list", "rank", "docno", "grade", "gain", "discount", "contribution", "value", "reason"]
    assert rows[1][1:5] == ["bm25", "1", "nDCG@2", ""]
    assert (float(rows[1][11]), rows[1][12]) == (by_hand["value"], "")
    assert rows[2][1:8] == ["bm25", "1", "nDCG@2", "ranked", "1", "b", "2"]
    assert rows[-1][3:5] == ["RBP-residual(p=0.5)", ""]
    assert "look at RBP by hand" in rows[-1][12]


@pytest.mark.parametrize(
    ("more", "option"),
    [
        (("--scenarios", "0,1,2,3"), "--scenarios"),
        (("--weights", "traffic.txt"), "--weights"),
        (("--explain", "1", "--per-query"), "--per-query with --explain"),
    ],
)
def test_what_the_csv_has_no_place_for_is_refused_and_not_dropped(
    plain: Plain, files: tuple[Path, Path], more: tuple[str, ...], option: str
) -> None:
    said = plain.run("measure", *files, "--gain", "linear", "--csv", *more, status=2)
    assert (
        said.err
        == f"adjudge: --csv has no place for {option}. Take --json, which holds everything, or leave one out.\n"
    )
    assert not said.out


def test_two_measures_that_differ_only_in_a_parameter_are_told_apart(plain: Plain, files: tuple[Path, Path]) -> None:
    asked = ("measure", *files, "--gain", "linear", "-m", "recall@3", "-m", "recall(rel=3)@3", "--explain", "1")
    lines = plain.run(*asked).lines
    assert [line.split()[0] for line in lines[:2]] == ["recall@3", "recall(rel=3)@3"]
    assert [line.rpartition("=")[2] for line in lines[:2]] == ["1", "3"]
    assert sum(line.startswith("bm25, query 1: recall(rel=3)@3 = ") for line in lines) == 1


@pytest.mark.parametrize(
    ("returned", "measure", "ranks", "rest"),
    [
        (4, "judged@10", 4, 0),
        (24, "recall@100", 12, 12),
        (24, "AP@11", 10, 14),
        (12, "nDCG@12", 12, 0),
        (13, "nDCG@20", 12, 1),
    ],
)
def test_a_query_by_hand_shows_every_rank_or_says_how_many_more_add_nothing(
    plain: Plain, tmp_path: Path, returned: int, measure: str, ranks: int, rest: int
) -> None:
    """The first and the twelfth are relevant."""
    qrels, run = tmp_path / "j.qrels", tmp_path / "r.run"
    qrels.write_text("1 0 d01 1\n1 0 d12 1\n1 0 d02 0\n", "utf-8")
    run.write_text("".join(f"1 Q0 d{at:02} {at} {99 - at} r\n" for at in range(1, returned + 1)), "utf-8")
    lines = plain.run("measure", qrels, run, "--gain", "linear", "-m", measure, "--explain", "1").lines
    heading = lines.index("ranked: rank, document, grade, gain x discount = contribution")
    shown = [line.split()[:2] for line in lines[heading + 1 : heading + 1 + ranks]]
    assert shown == [[str(at), f"d{at:02}"] for at in range(1, ranks + 1)]
    said = f"     …  {rest} more that {'adds' if rest == 1 else 'add'} nothing"
    assert lines[heading + 1 + ranks : heading + 2 + ranks] == ([said] if rest else lines[heading + 1 + ranks :][:1])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "undefined, nothing relevant was returned for this query, so that the ideal over what was is 0"),
        (("--no-relevant", "zero"), "0.000000: nothing relevant to divide by, which this convention counts as 0"),
    ],
)
def test_an_ideal_of_what_was_returned_that_is_0_says_why_by_hand(
    plain: Plain, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    qrels, run = tmp_path / "j.qrels", tmp_path / "r.run"
    qrels.write_text("1 0 a 1\n2 0 a 1\n", "utf-8")
    run.write_text("1 Q0 b 1 1 r\n2 Q0 a 1 1 r\n", "utf-8")
    asked = ("measure", qrels, run, "--gain", "linear", "-m", "nDCG@10", "--ideal", "returned", "--explain", "1", *more)
    lines = plain.run(*asked).lines
    assert f"r, query 1: nDCG@10 = 0.000000 / 0.000000 = {said}" in lines
    counted = "counted as 0" if more else "left out"
    queries = "2 queries" if more else "1 query"
    assert any(
        line.startswith(f"r, nDCG@10: mean of {queries}; 1 without a relevant document returned, {counted}")
        for line in lines
    )


@pytest.mark.parametrize("name", ["nDCG@10", "recall@10", "AP", "judged@10"])
def test_a_query_that_the_run_lacks_has_no_value_by_hand_where_it_has_none_in_the_mean(
    plain: Plain, files: tuple[Path, Path], name: str
) -> None:
    asked = ("measure", *files, "--preset", "pytrec_eval", "-m", name, "--explain", "4")
    (run,) = plain.ask(*asked)["runs"]
    found = run["measures"][name]
    assert (found["per_query"]["4"], found["by_hand"]["value"]) == (None, None)
    assert found["reasons"]["4"] == found["by_hand"]["reason"] == "the run does not hold this query"
    assert any(line.endswith("= undefined, the run does not hold this query") for line in plain.run(*asked).lines)


def test_a_query_by_hand_that_the_run_lacks_has_an_empty_list_and_one_that_nobody_judged_is_refused(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    (run,) = plain.ask("measure", *files, "--gain", "linear", "-m", "nDCG@10", "--explain", "4")["runs"]
    assert run["measures"]["nDCG@10"]["by_hand"]["rows"] == []
    assert [row["docno"] for row in run["measures"]["nDCG@10"]["by_hand"]["ideal"]] == ["a"]
    refused = plain.run("measure", *files, "--gain", "linear", "--explain", "9", status=2)
    assert "holds no judgment of the query 9" in refused.err


def test_an_ideal_that_is_cut_and_a_query_without_a_value_say_so_by_hand(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    lines = plain.run("measure", *files, "--gain", "linear", "-m", "nDCG@1", "--explain", "1").lines
    assert lines[-1].startswith("The ideal is cut")
    lines = plain.run("measure", *files, "--gain", "linear", "-m", "nDCG@1", "--explain", "3").lines
    assert any(line.endswith("= undefined, no relevant document was judged for this query") for line in lines)


def test_scenarios_say_what_judging_the_unjudged_could_make_of_the_means(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    choices = ("--gain", "exponential", "-m", "nDCG@10", "-m", "judged@10", "--scenarios", "0,1,2,3")
    (run,) = plain.ask("measure", *files, *choices)["runs"]
    found = run["measures"]["nDCG@10"]["scenarios"]
    assert (found["unjudged"], found["levels"]) == (1, [0, 1, 2, 3])
    assert found["all_lowest"] == pytest.approx((FIRST + 1) / 3, abs=1e-12)
    assert found["all_lowest"] == run["measures"]["nDCG@10"]["mean"], "judged worthless, they change nothing"
    assert found["lowest"] <= found["all_lowest"] < found["highest"] == found["all_highest"]
    assert "judged does not read grades" in run["measures"]["judged@10"]["scenarios"]["reason"]
    lines = plain.run("measure", *files, *choices).lines
    assert any(
        line.startswith("bm25, nDCG@10: with the 1 unjudged document within the cut-off judged, ") for line in lines
    )
    assert any(line.startswith("bm25, judged@10: judged does not read grades") for line in lines)


def test_weights_make_another_mean_and_stand_beside_it(plain: Plain, files: tuple[Path, Path], tmp_path: Path) -> None:
    weights = tmp_path / "traffic.txt"
    weights.write_text("1 3\n\n2 1\n3 1\n4 0\n", "utf-8")
    choices = ("--gain", "exponential", "-m", "nDCG@10", "--weights", weights)
    (run,) = plain.ask("measure", *files, *choices)["runs"]
    weighted = run["measures"]["nDCG@10"]["weighted"]
    assert weighted == {
        "mean": pytest.approx((3 * FIRST + 1) / 4, abs=1e-12),
        "reason": None,
        "weights": str(weights),
        "unread": 0,
        "left_out": 0.2,
    }
    assert f"by the weights of {weights}: {(3 * FIRST + 1) / 4:.6f}" in plain.run("measure", *files, *choices).lines[-1]
    said = plain.run("measure", *files, *choices).lines[-1]
    assert said.endswith("; 20% of the weight is of queries that are left out")
    weights.write_text("1 3\n2 1\n3 0\n4 0\n", "utf-8")
    assert "of the weight" not in plain.run("measure", *files, *choices).out
    weights.write_text("1 0\n2 0\n3 0\n4 0\n77 1\n", "utf-8")
    assert plain.ask("measure", *files, *choices)["runs"][0]["measures"]["nDCG@10"]["weighted"]["left_out"] is None
    said = plain.run("measure", *files, *choices).out
    assert "undefined, no query with a weight has a value; 1 weight of queries that nobody judged passed over" in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1 3\n2\n", "traffic.txt, line 2: the line is not a query and its weight"),
        ("1 1_0\n", "traffic.txt, line 1: the line is not a query and its weight"),
        ("1 much\n", "traffic.txt, line 1: the line is not a query and its weight"),
        ("1 3\n1 2\n", 'traffic.txt, line 2: the query "1" has a weight already'),
        ("1 3\n", "name no weight for query 2"),
        ("1 3\n2 nan\n", 'traffic.txt, line 2: the weight "nan" is not 0 or more'),
        ("1 3\n2 -1\n", 'traffic.txt, line 2: the weight "-1" is not 0 or more'),
    ],
)
def test_weights_that_are_none_are_refused_with_their_line(
    plain: Plain, files: tuple[Path, Path], tmp_path: Path, content: str, said: str
) -> None:
    weights = tmp_path / "traffic.txt"
    weights.write_text(content, "utf-8")
    assert said in plain.run("measure", *files, "--preset", "trec", "--weights", weights, status=2).err


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (("--gain", "linear", "--scenarios", "0,one"), "'0,one' is no list of grades"),
        ((), "No gain was named, and there is no silent default. Write --gain exponential"),
        (("--preset", "lucene"), "There is no preset 'lucene'. Choose one of trec, "),
        (("--gain", "cubic"), "There is no gain 'cubic'"),
        (("--gain", "table:0,1"), 'judged.qrels, line 1: document "a" of query "1": Grade 3 is not in the gain table'),
        (("--gain", "linear", "-m", "ERR@10"), "'ERR@10' names no measure"),
        (("--gain", "linear", "-m", "RBP"), "RBP needs its p"),
        (("--gain", "linear", "--ties", "pessimistic"), "There is no rule for ties 'pessimistic': it is docno"),
        (("--gain", "linear", "--json", "--csv"), "--json and --csv can't both be had"),
        (("--gain", "table:0,1,2,1.7e308"), "A gain is at most 2^1000"),
        (("--gain", "linear", "--scenarios", "0"), "needs the rubric's levels: two or more, in rising order"),
        (("--gain", "linear", "--scenarios", "2,1"), "needs the rubric's levels: two or more, in rising order"),
        (("--gain", "linear", "--scenarios", "0,1_0"), "'0,1_0' is no list of grades"),
        (("--gain", "table:0,1,2,3", "--scenarios", "0,1,9"), "Grade 9 is not in the gain table"),
        (("--preset", "trec", "--preset", "ranx"), "--preset is given 2 times; it holds one value."),
    ],
)
def test_what_is_not_said_or_not_there_ends_with_status_2(
    plain: Plain, files: tuple[Path, Path], choices: tuple[str, ...], said: str
) -> None:
    assert said in plain.run("measure", *files, *choices, status=2).err


@pytest.mark.parametrize(
    ("which", "content", "said"),
    [
        (0, "1 0 a 1\n1 0 a 2\n", 'judged.qrels, line 2: the pair "1", "a" has grade 2 here and 1 on line 1'),
        (0, "1 0 a one\n", "judged.qrels, line 1: the grade"),
        (1, "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", 'bm25.run, line 2: the document "a" has been ranked for query "1"'),
        (1, "1 Q0 a 1 2 t\n1 Q0 b 2 nan t\n", "bm25.run, line 2: the score"),
        (1, "7 Q0 a 1 2 t\n", "bm25.run: The run and the qrels have no query in common"),
        (1, None, "There is no file"),
    ],
)
def test_a_fault_in_a_file_is_told_with_its_line_and_ends_with_status_2(
    plain: Plain, files: tuple[Path, Path], which: int, content: str | None, said: str
) -> None:
    if content is None:
        files[which].unlink()
    else:
        files[which].write_text(content, "utf-8")
    assert said in plain.run("measure", *files, "--preset", "trec", status=2).err


def test_packed_odd_and_latin_files_give_the_numbers_of_plain_ones(
    plain: Plain, files: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = measures(plain, files)
    packed = tmp_path / "packed.run"
    packed.write_bytes(gzip.compress(RUN.encode()))
    odd_run, odd_qrels = tmp_path / "odd.run", tmp_path / "odd.qrels"
    lines = RUN.splitlines(keepends=True)
    odd_run.write_text("# a comment\n" + "".join(lines[:1] + lines[3:] + lines[1:3]).replace(" ", "\t"), "utf-8")
    odd_qrels.write_text("# a comment\n\n" + QRELS + "1 0 a 3\n", "utf-8")
    assert measures(plain, (files[0], packed)) == expected
    assert measures(plain, (odd_qrels, odd_run)) == expected
    assert measures(plain, files, "--encoding", "latin-1") == expected
    monkeypatch.setattr(splitting, "CORE", None)
    monkeypatch.setattr(core, "CORE", None)
    assert measures(plain, files) == expected


def measures(plain: Plain, files: tuple[Path, Path], *choices: str) -> Any:
    return plain.ask("measure", *files, "--preset", "ir_measures", *choices)["runs"][0]["measures"]


def test_fifty_queries_take_less_than_half_a_second_from_start_to_end(tmp_path: Path) -> None:
    """Of this processor's time; what others do on the machine meanwhile is not ours."""
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("".join(f"{q} 0 d{d} {d % 4}\n" for q in range(50) for d in range(40)), "utf-8")
    run.write_text("".join(f"{q} Q0 d{d} 1 {1 / (d + 1)} t\n" for q in range(50) for d in range(100)), "utf-8")
    command: list[str | Path] = [
        sys.executable,
        "-c",
        "from app.cli import main; main()",
        "measure",
        qrels,
        run,
        "--preset",
        "trec",
    ]
    taken = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, check=True, capture_output=True, cwd=ROOT, env={**os.environ, "COVERAGE_PROCESS_START": ""}
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken) < 0.5


def test_grades_may_have_fractions(plain: Plain, files: tuple[Path, Path]) -> None:
    qrels, run = files
    qrels.write_text("1 0 a 0.5\n1 0 b 2\n", "utf-8")
    found = plain.ask("measure", qrels, run, "--gain", "linear", "-m", "DCG@3")
    assert found["runs"][0]["measures"]["DCG@3"]["mean"] == 2 + 0.5 / 2
    qrels.write_text("1 0 a 1e99\n", "utf-8")
    assert 'line 1: the grade "1e99" is too large' in plain.run("measure", qrels, run, "--preset", "trec", status=2).err


def test_a_line_of_qrels_that_comes_again_is_passed_over_and_counted(plain: Plain, files: tuple[Path, Path]) -> None:
    qrels, run = files
    before = plain.ask("measure", *files, "--gain", "linear")
    assert before["qrels"]["repeated"] == 0
    qrels.write_text(f"{QRELS}1 0 a 3\n2 0 a 1\n", "utf-8")
    for command in (("measure", *files), ("compare", *files, run.with_name("other.run"))):
        run.with_name("other.run").write_text(RUN, "utf-8")
        answer = plain.ask(*command, "--gain", "linear")
        assert (answer["qrels"]["judgments"], answer["qrels"]["repeated"]) == (6, 2)
        said = f"{qrels}: 6 judgments of 4 queries; 2 lines that came again passed over"
        assert said in plain.run(*command, "--gain", "linear").lines
    answer = plain.ask("pool", run, run.with_name("other.run"), "--qrels", qrels, "--gain", "linear")
    assert answer["left_out"]["qrels"]["repeated"] == 2


def test_runs_of_one_tag_are_told_apart_by_their_files(plain: Plain, files: tuple[Path, Path], tmp_path: Path) -> None:
    again = tmp_path / "again.run"
    again.write_bytes(files[1].read_bytes())
    out = plain.run("measure", *files, again, "--preset", "trec").out
    assert str(again) in out
    assert str(files[1]) in out


def test_runs_of_one_tag_have_their_own_names_in_every_line(
    plain: Plain, files: tuple[Path, Path], tmp_path: Path
) -> None:
    other = tmp_path / "other.run"
    other.write_text(RUN, "utf-8")
    (tmp_path / "w").write_text("1 1\n2 1\n3 1\n4 1\n", "utf-8")
    asked = ("measure", *files, other, "--gain", "linear", "-m", "nDCG@10", "--scenarios", "0,1,2,3")
    lines = plain.run(*asked, "--weights", tmp_path / "w", "--explain", "1").lines
    assert not [line for line in lines if line.startswith("bm25")]
    of_one, of_other = ([line for line in lines if line.startswith(str(name))] for name in (files[1], other))
    assert len(of_one) == len(of_other) == 8


def test_ndcg_is_never_shown_alone(plain: Plain, files: tuple[Path, Path]) -> None:
    asked = ("measure", *files, "--gain", "linear", "-m", "nDCG@5")
    lines = plain.run(*asked, "--explain", "1", "--scenarios", "0,1,2,3").lines
    assert lines[0].startswith("nDCG@5 recall@100 judged@5 gain=linear")
    assert lines[3].split() == ["run", "nDCG@5", "recall@100", "judged@5"]
    assert not [line for line in lines if "judged@5" in line and ("query 1" in line or "does not read" in line)]
    assert plain.run(*asked, "-m", "judged@10").lines[3].split() == ["run", "nDCG@5", "judged@10", "recall@100"]
    assert plain.run(*asked[:-1], "AP").lines[3].split() == ["run", "AP"]
    assert list(plain.ask(*asked)["runs"][0]["measures"]) == ["nDCG@5"]


def test_a_query_by_hand_is_whole_where_its_lines_stand_far_apart(plain: Plain, tmp_path: Path) -> None:
    """The rest of it comes two blocks of reading later."""
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("q1 0 late 2\nq1 0 early 1\nq2 0 x 1\n", "utf-8")
    between = "".join(f"q{at} Q0 document-{rank} {rank} {-rank} r\n" for at in range(2, 100) for rank in range(1000))
    run.write_text(f"q1 Q0 early 1 1 r\n{between}q1 Q0 late 1 9 r\n", "utf-8")
    asked = ("measure", qrels, run, "--gain", "linear", "-m", "nDCG@10", "--explain", "q1")
    found = plain.ask(*asked)["runs"][0]["measures"]["nDCG@10"]
    assert found["by_hand"]["value"] == found["per_query"]["q1"] == 1.0
    assert [row["docno"] for row in found["by_hand"]["rows"]] == ["late", "early"]


def test_a_run_s_path_that_is_another_run_s_tag_is_no_name_for_both(
    plain: Plain, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files[0].parent)
    for name, tag in (("bm25", "base"), ("base", "base"), ("other", "bm25")):
        Path(name).write_text(RUN.replace("bm25", tag), "utf-8")
    runs = plain.ask("measure", "judged.qrels", "bm25", "base", "other", "--preset", "trec")["runs"]
    assert [run["name"] for run in runs] == ["bm25", "base", "other"]
    assert [run["name"] for run in plain.ask("pool", "bm25", "base", "other")["runs"]] == ["bm25", "base", "other"]


def test_a_cut_off_beyond_every_ranking_is_refused_and_one_that_is_long_changes_nothing(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    asked = ("measure", *files, "--gain", "linear", "-m")
    assert "A cut-off is a whole number from 1 to 1,000,000,000" in plain.run(*asked, f"nDCG@{2**63}", status=2).err
    assert "names no measure" in plain.run(*asked, f"nDCG@{'9' * 5000}", status=2).err
    long, whole = (plain.ask(*asked, name)["runs"][0]["measures"][name] for name in ("nDCG@1000000000", "nDCG"))
    assert long["per_query"] == whole["per_query"]


def test_an_ideal_that_is_cut_is_counted_beside_the_mean(plain: Plain, files: tuple[Path, Path]) -> None:
    files[0].write_text("1 0 a 1\n1 0 b 1\n1 0 c 1\n2 0 a 1\n", "utf-8")
    asked = ("measure", *files, "--preset", "trec", "-m", "nDCG@2", "-m", "recall@2")
    measures = plain.ask(*asked)["runs"][0]["measures"]
    assert [each["ideal_cut"] for each in measures.values()] == [1, 0]
    said = plain.run(*asked).out
    assert "1 with more documents of worth than the ideal holds at the cut-off" in said


@pytest.mark.parametrize(
    ("measure", "gain", "said"),
    [
        ("RBP(p=0.5)", "linear", "RBP(p=0.5): in the gain's own unit"),
        ("RBP-residual(p=0.5)", "exponential", "RBP-residual(p=0.5): up to the highest gain that was judged"),
        ("RBP-residual(p=0.5)", "table:0,1,3,7", None),
    ],
)
def test_what_an_rbp_is_out_of_is_said(
    plain: Plain, files: tuple[Path, Path], measure: str, gain: str, said: str | None
) -> None:
    lines = plain.run("measure", *files, "--gain", gain, "-m", measure).lines
    assert [line.startswith(said or "never") for line in lines].count(True) == (said is not None)
    assert said or not any("highest gain" in line for line in lines)


def test_what_is_counted_as_0_and_what_is_left_out_is_said(plain: Plain, files: tuple[Path, Path]) -> None:
    asked = ("measure", *files, "--gain", "linear", "-m", "nDCG@10", "-m", "judged@10", "--no-relevant", "zero")
    lines = plain.run(*asked, "--missing", "exclude").lines
    ndcg, judged = (next(line for line in lines if f"{name}: mean of" in line) for name in ("nDCG@10", "judged@10"))
    assert "mean of 3 queries; 1 not in the run, left out, 1 without a relevant judgment, counted as 0" in ndcg
    assert "1 not in the run, left out, 3 with fewer" in judged
    assert judged.endswith("cut-off, 1 without a relevant judgment, in the mean as any other")
    measures = plain.ask(*asked)["runs"][0]["measures"]
    assert measures["nDCG@10"]["note"] is None
    assert "whatever no-relevant and missing say" in measures["judged@10"]["note"]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (
            (),
            "mean of 3 queries; 1 not in the run, counted as 0, 3 without a relevant judgment, left out, 2 of them not",
        ),
        (
            ("--missing", "exclude"),
            "mean of 2 queries; 1 not in the run, left out, 3 without a relevant judgment, left out, 2 of them not in",
        ),
        (
            ("--missing", "exclude", "--no-relevant", "zero"),
            "mean of 3 queries; 3 not in the run, left out, 2 of them without a relevant judgment, 1 without a",
        ),
        (
            ("--no-relevant", "zero"),
            "mean of 6 queries; 1 not in the run, counted as 0, 3 without a relevant judgment, counted as 0, 2 of them",
        ),
        (
            ("--threshold", "99", "-m", "AP"),
            "mean of 0 queries; 6 without a relevant judgment, left out, 3 of them not in the run; undefined",
        ),
    ],
)
def test_a_query_that_is_missing_and_without_a_relevant_judgment_is_told_once(
    plain: Plain, files: tuple[Path, Path], choices: tuple[str, ...], said: str
) -> None:
    files[0].write_text(QRELS + "5 0 a 0\n6 0 a 0\n", "utf-8")
    asked = ("measure", *files, "--gain", "linear", *(() if "-m" in choices else ("-m", "nDCG@10")), *choices)
    (run,) = plain.ask(*asked)["runs"]
    ((_, measure),) = run["measures"].items()
    assert (measure["missing"], measure["both"]) == (3, 3 if "-m" in choices else 2)
    (line,) = (line for line in plain.run(*asked).lines if line.startswith(f"bm25, {next(iter(run['measures']))}: "))
    assert said in line


def test_what_counts_at_what_is_open_is_not_said_to_count_as_0(plain: Plain, files: tuple[Path, Path]) -> None:
    asked = ("measure", *files, "--gain", "linear", "-m", "RBP-residual(p=0.5)", "--no-relevant", "zero")
    lines = plain.run(*asked).lines
    assert (
        "bm25, RBP-residual(p=0.5): mean of 4 queries; 1 not in the run, counted at the maximum, all of it being open, "
        "1 without a relevant judgment, counted by what is open"
    ) in lines


def test_what_the_library_of_a_preset_does_otherwise_stands_under_the_convention(
    plain: Plain, files: tuple[Path, Path]
) -> None:
    why = "there scores are compared as 64-bit numbers and ties go to the lower document id"
    said = f"RR@10 is not that of ir_measures: {why}"
    asked = ("measure", *files, "--preset", "ir_measures", "-m", "RR@10", "-m", "RR")
    assert f"{said}." in plain.run(*asked).lines
    assert plain.ask(*asked)["apart"] == [said]
    assert plain.ask("measure", *files, "--gain", "linear", "-m", "RR@10")["apart"] == []
    qrels, run = files
    other = run.with_name("other.run")
    other.write_bytes(run.read_bytes())
    assert plain.ask("compare", qrels, run, other, "--preset", "ir_measures", "-m", "RR@10")["apart"][:1] == [said]


def test_the_levels_of_scenarios_may_be_fractions(plain: Plain, files: tuple[Path, Path]) -> None:
    asked = ("measure", *files, "--gain", "linear", "-m", "nDCG@10", "--scenarios", "0,1,2.5,3")
    assert plain.ask(*asked)["runs"][0]["measures"]["nDCG@10"]["scenarios"]["levels"] == [0, 1, 2.5, 3]


def test_weights_of_any_size_are_shares(plain: Plain, files: tuple[Path, Path], tmp_path: Path) -> None:
    means = []
    for weight in ("1", "1e308"):
        (tmp_path / "weights").write_text("".join(f"{qid} {weight}\n" for qid in "1234"), "utf-8")
        answer = plain.ask("measure", *files, "--preset", "trec", "-m", "nDCG@10", "--weights", tmp_path / "weights")
        means.append(answer["runs"][0]["measures"]["nDCG@10"]["weighted"]["mean"])
    assert means[0] == pytest.approx(means[1], rel=1e-15)


def test_signs_that_move_a_terminal_reach_only_a_file(plain: Plain, files: tuple[Path, Path]) -> None:
    files[1].write_text(RUN.replace("bm25", "b\x1b[2J"), "utf-8")
    asked = ("measure", *files, "--preset", "trec", "--csv")
    assert "\x1b" in plain.run(*asked).out
    plain.monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "\x1b" not in plain.run(*asked).out


def test_measures_may_be_named_with_commas_between(plain: Plain, files: tuple[Path, Path]) -> None:
    asked = ("measure", *files, "--gain", "linear", "-m", "nDCG@10, recall(rel=2)@3,RBP(p=0.5)", "-m", "judged@5")
    measures = plain.ask(*asked)["runs"][0]["measures"]
    assert list(measures) == ["nDCG@10", "recall(rel=2)@3", "RBP(p=0.5)", "judged@5"]
    assert "names no measure" in plain.run("measure", *files, "--gain", "linear", "-m", ",", status=2).err


def test_figures_beyond_nine_digits_are_told_by_their_first_six(plain: Plain, files: tuple[Path, Path]) -> None:
    files[0].write_text("1 0 b 900\n1 0 a 29\n", "utf-8")
    lines = plain.run("measure", *files, "--gain", "exponential", "-m", "DCG@10", "--explain", "1").lines
    assert max(map(len, lines[1:])) < 200
    assert f"     1  b  900  {2.0**900:.6g} x 1.000000 = {2.0**900:.6g}" in lines
    assert "     3  a  29  536870911.000000 x 0.500000 = 268435455.500000" in lines
