from pathlib import Path
from typing import Any

import pytest

from tests.cli.plain import Plain, plain

__all__ = ["plain"]
LEVELS = ("--levels", "0,1,2,3")
LONG = """labeller,qid,docno,grade
ana,q1,d1,3
ben,q1,d1,2
ana,q1,d2,0
ben,q1,d2,0
ana,q2,d3,1
ben,q2,d3,1
ana,q2,d4,0
ben,q2,d4,1
ana,q3,d5,2
ben,q3,d5,2
ana,q3,d6,0
ben,q3,d6,0
ana,q3,d7,2
"""


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    file = tmp_path / "grades.csv"
    file.write_text(LONG, "utf-8")
    return file


def written(folder: Path, text: str) -> Path:
    file = folder / "other.csv"
    file.write_text(text, "utf-8")
    return file


def two_people(folder: Path, a: list[Any], b: list[Any]) -> Path:
    rows = [
        f"{one},q{at},d{at},{level}"
        for at, both in enumerate(zip(a, b, strict=True))
        for one, level in zip("ab", both, strict=True)
    ]
    return written(folder, "\n".join(["labeller,qid,docno,grade", *rows]) + "\n")


def test_the_json_has_the_shape_that_scripts_rely_on(plain: Plain, grades: Path) -> None:
    answer = plain.ask("kappa", grades, *LEVELS)
    assert (answer["weights"], answer["levels"]) == ("linear", ["0", "1", "2", "3"])
    fixed = ["a", "b", "n", "kappa", "low", "high", "reason"]
    beyond = ["no_width", "queries", "interval_scale"]
    assert list(answer["couples"][0]) == [*fixed, *beyond, "shift", "homogeneity"]
    assert (answer["couples"][0]["a"], answer["couples"][0]["b"], answer["couples"][0]["n"]) == ("ana", "ben", 6)
    assert answer["pooled"] == {key: answer["couples"][0][key] for key in [*fixed[2:], *beyond]}
    assert {one["interval_scale"] for one in (answer["pooled"], *answer["versus_rest"])} == {"cube root of 1 - kappa"}
    assert (answer["pooled"]["n"], answer["pooled"]["queries"]) == (6, 3)
    assert answer["pooled"]["kappa"] == pytest.approx(1 - 2 / (40 / 6), abs=1e-12)
    assert [one["labeller"] for one in answer["versus_rest"]] == ["ana", "ben"]
    assert set(answer["alpha"]) == {"nominal", "ordinal", "interval"}
    assert (answer["exact"], answer["within_one"]) == (4 / 6, 1.0)
    assert answer["left_out"] == {
        "single": 0,
        "ungraded": 1,
        "unjudgeable_both": 0,
        "unjudgeable_one": 0,
        "unjudgeable_beside": 0,
        "repeated": 0,
        "by": [{"labeller": "ben", "answer": "not graded", "pairs": 1}],
    }
    assert answer["gate"]["answer"] == "not enough evidence"
    assert [each["name"] for each in answer["gate"]["conditions"]][:3] == ["queries", "pairs", "levels"]
    assert answer["table"] == [[2, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]]


def test_the_words_begin_with_the_convention(plain: Plain, grades: Path) -> None:
    said = plain.run("kappa", grades, *LEVELS, "--per-query", "--intervals")
    assert said.lines[0] == (
        "linear weights, levels 0 < 1 < 2 < 3, 95% intervals that leave out one query at a time (of fewer than 30 on "
        "the cube root of 1 - kappa), policy standard"
    )
    assert said.lines[1] == "read: query from qid, document from docno"
    assert said.lines[2].startswith("kappa over 6 pairs of 3 queries: .700 (")
    assert "  q3  1.000, exact agreement 100% over 2 pairs" in said.lines
    assert (
        "left out: 0 pairs of queries that one person graded alone, 1 that were not graded by both, 0 that only one "
        "could judge, 0 that neither could; 0 of those that two graded a third could not judge" in said.lines
    )
    assert any(line.startswith("Not enough evidence: 3 of the 30 queries and 6 of the 300") for line in said.lines)


def test_unweighted_kappa_says_so(plain: Plain, grades: Path) -> None:
    said = plain.run("kappa", grades, *LEVELS, "--weights", "none")
    assert said.lines[0].startswith("unweighted, levels")
    answer = plain.ask("kappa", grades, *LEVELS, "--weights", "none")
    assert answer["ac1"] != answer["ac2"]


def test_a_named_policy_is_a_rule_and_ends_with_1_unless_it_passes(
    plain: Plain, grades: Path, shared_data: Path
) -> None:
    plain.run("kappa", grades, *LEVELS, "--policy", "standard", status=1)
    real = shared_data / "chorus-ratings" / "judgements.long.csv"
    assert plain.ask("kappa", real, *LEVELS, "--policy", "strict")["gate"]["answer"] == "passed"
    failing = shared_data / "fira-dl19" / "double-judged.tsv"
    assert plain.ask("kappa", failing, *LEVELS)["gate"]["answer"] == "failed"
    assert plain.ask("kappa", failing, *LEVELS, "--policy", "exploratory", status=1)["gate"]["answer"] == "failed"


@pytest.mark.parametrize("shown", [("--confidence", ".5"), ("--weights", "quadratic"), ("--weights", "none")])
def test_no_option_changes_what_a_policy_asks(plain: Plain, shared_data: Path, shown: tuple[str, ...]) -> None:
    file = shared_data / "fira-dl19" / "double-judged.tsv"
    asked = ("kappa", file, *LEVELS, "--policy", "standard")
    usual, other = plain.ask(*asked, status=1), plain.ask(*asked, *shown, status=1)
    assert other["pooled"] != usual["pooled"]
    assert other["gate"] == usual["gate"]
    assert (usual["gate"]["weights"], usual["gate"]["confidence"]) == ("linear", 0.95)
    first, *lines = plain.run(*asked, *shown, status=1).lines
    assert first.endswith("policy standard, which asks of linear weights and 95% intervals")
    assert usual["gate"]["sentence"] in lines


def test_three_raters_of_a_shop_have_the_kappas_that_others_measured(plain: Plain, shared_data: Path) -> None:
    for weights, expected in (
        ("linear", [0.763083, 0.731488, 0.692507]),
        ("quadratic", [0.798975, 0.775501, 0.737354]),
        ("none", [0.682047, 0.645752, None]),
    ):
        answer = plain.ask(
            "kappa", shared_data / "chorus-ratings" / "judgements.long.csv", *LEVELS, "--weights", weights
        )
        for couple, figure in zip(answer["couples"], expected, strict=True):
            assert figure is None or couple["kappa"] == pytest.approx(figure, abs=5e-7)
        assert answer["pooled"]["n"] == 3188


def test_a_wide_file_gives_the_same_as_a_long_one(plain: Plain, grades: Path, tmp_path: Path) -> None:
    wide = written(
        tmp_path,
        "qid,docno,ana,ben\nq1,d1,3,2\nq1,d2,0,0\nq2,d3,1,1\nq2,d4,0,1\nq3,d5,2,2\nq3,d6,0,0\nq3,d7,2,\n",
    )
    of_wide, of_long = plain.ask("kappa", wide, *LEVELS, "--people", "ana,ben"), plain.ask("kappa", grades, *LEVELS)
    assert "people: ana, ben" in of_wide.pop("notes")
    assert of_long.pop("notes")
    assert of_wide == of_long


def test_a_small_set_may_take_the_smaller_minimum_and_is_marked(plain: Plain, grades: Path, tmp_path: Path) -> None:
    assert plain.ask("kappa", grades, *LEVELS, "--small-set")["gate"]["policy"] == "standard, small set"
    large = written(
        tmp_path, "labeller,qid,docno,grade\n" + "".join(f"ana,q{at},d,1\nben,q{at},d,1\n" for at in range(60))
    )
    said = plain.run("kappa", large, *LEVELS, "--small-set", status=2)
    assert "60 queries are no small set: it has fewer than 60. Leave --small-set out." in said.err


def test_without_weights_ac2_says_which_it_has(plain: Plain, grades: Path) -> None:
    assert "AC2 (linear weights) " in plain.run("kappa", grades, *LEVELS, "--weights", "none").out
    assert "AC2 (linear weights) " not in plain.run("kappa", grades, *LEVELS).out
    for weights, named in (("none", "linear"), ("linear", "linear"), ("quadratic", "quadratic")):
        assert plain.ask("kappa", grades, *LEVELS, "--weights", weights)["ac2_weights"] == named


def test_a_third_person_s_only_pair_has_a_way_out_and_a_level_given_alone_is_not_said_to_be_given_by_nobody(
    plain: Plain, tmp_path: Path
) -> None:
    rows = [f"q{at // 15},d{at},{at % 3},{at % 3}," for at in range(600)]
    wide = written(tmp_path, "\n".join(["qid,docno,ana,ben,cy", *rows[1:], "q0,d0,0,0,0", "q0,e,3,,"]) + "\n")
    said = plain.run("kappa", wide, *LEVELS, "--people", "ana,ben,cy").out
    assert (
        "cy used one level only, where two are asked. Whoever used one level only needs further queries that others "
        "judge too."
    ) in said
    assert "  3  undefined: nobody gave this level to a pair that two graded" in said


def test_a_third_labeller_hides_nobody_s_refusals(plain: Plain, tmp_path: Path) -> None:
    pairs = [(f"q{query}", f"d{at}", (query + at) % 4) for query in range(40) for at in range(20)]
    rows = [f"{qid},{docno},{level},{level if at % 4 else 'x'},{level}" for at, (qid, docno, level) in enumerate(pairs)]
    wide = written(tmp_path, "\n".join(["qid,docno,ana,ben,cy", *rows]) + "\n")
    asked = ("kappa", wide, *LEVELS, "--unjudgeable", "x", "--people", "ana,ben,cy", "--policy", "standard")
    answer = plain.ask(*asked, status=1)
    assert answer["left_out"]["unjudgeable_beside"] == 200
    assert answer["left_out"]["by"] == [{"labeller": "ben", "answer": "unjudgeable", "pairs": 200}]
    assert answer["gate"]["answer"] == "failed"
    missed = [each["name"] for each in answer["gate"]["conditions"] if each["is_met"] is False]
    assert missed == ["unjudgeable", "unjudgeable to one"]
    said = plain.run(*asked, status=1).out
    assert "0 that only one could judge, 0 that neither could; 200 of those that two graded a third could not" in said


def test_unjudgeable_is_left_out_and_counted_by_who_said_so(plain: Plain, grades: Path) -> None:
    text = grades.read_text("utf-8").replace("ben,q1,d2,0", "ben,q1,d2,skip").replace("ana,q3,d6,0", "ana,q3,d6,-1")
    grades.write_text(text.replace("ben,q3,d6,0", "ben,q3,d6,skip"), "utf-8")
    answer = plain.ask("kappa", grades, *LEVELS, "--unjudgeable", "skip,-1")
    left = answer["left_out"]
    assert (answer["pooled"]["n"], left["ungraded"], left["unjudgeable_one"], left["unjudgeable_both"]) == (4, 1, 1, 1)
    assert left["by"] == [
        {"labeller": "ana", "answer": "unjudgeable", "pairs": 1},
        {"labeller": "ben", "answer": "not graded", "pairs": 1},
        {"labeller": "ben", "answer": "unjudgeable", "pairs": 2},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "labeller,qid,docno,grade\nana,q,d1,1\nben,q,d1,1\nana,q,d2,1\nben,q,d2,\nana,q,d3,\nben,r,e,1\n,s,f,\n",
        "qid,docno,ana,ben\nq,d1,1,1\nq,d2,1,\nq,d3,,\nr,e,,1\ns,f,,\n",
    ],
)
def test_what_somebody_has_not_graded_is_counted_by_who_and_what_nobody_graded_too(
    plain: Plain, tmp_path: Path, text: str
) -> None:
    """Of q, which both were asked about, ben left one of two pairs and both left a third; r is ben's alone; nobody is
    known to have been asked about s.
    """
    file = written(tmp_path, text)
    left = plain.ask("kappa", file, *LEVELS)["left_out"]
    assert (left["single"], left["ungraded"]) == (1, 3)
    assert left["by"] == [
        {"labeller": "ana", "answer": "not graded", "pairs": 1},
        {"labeller": "ben", "answer": "not graded", "pairs": 2},
    ]
    lines = plain.run("kappa", file, *LEVELS).lines
    assert "  ana: not graded, 1 pair" in lines
    assert "  ben: not graded, 2 pairs" in lines


def test_who_leaves_a_line_blank_was_asked_and_is_counted_by_name(plain: Plain, tmp_path: Path) -> None:
    """Though they answered nothing of the query. A blank cell of a wide file may be of somebody who was not asked."""
    file = written(tmp_path, LONG + "ana,q4,d8,\nben,q4,d8,2\n")
    left = plain.ask("kappa", file, *LEVELS)["left_out"]
    before = plain.ask("kappa", written(tmp_path, LONG), *LEVELS)["left_out"]
    assert (left["single"], left["ungraded"]) == (before["single"], before["ungraded"] + 1)
    assert {"labeller": "ana", "answer": "not graded", "pairs": 1} in left["by"]
    wide = written(tmp_path, "qid,docno,ana,ben\nq1,d1,0,1\nq1,d2,1,1\nq2,d3,2,\n")
    assert plain.ask("kappa", wide, *LEVELS)["left_out"] | {"by": []} == {
        **dict.fromkeys(left, 0),
        "single": 1,
        "by": [],
    }


def test_levels_that_are_not_evenly_apart_are_said_to_be_taken_by_their_places(plain: Plain, grades: Path) -> None:
    said = "levels by their places: every two neighbours are one apart, in kappa's weights and in alpha (interval)"
    assert said not in plain.run("kappa", grades, *LEVELS).lines
    assert said in plain.run("kappa", grades, "--levels", "0,1,2,3,7").lines


def test_columns_left_out_grades_passed_over_and_names_made_one_are_told(plain: Plain, tmp_path: Path) -> None:
    wide = written(tmp_path, "qid,docno,ana,ben,final\nq,d,1,1,1\nq,e,0,1,1\nq,e,0,1,1\n")
    answer = plain.ask("kappa", wide, *LEVELS)
    assert "left out: final" in answer["notes"]
    assert answer["left_out"]["repeated"] == 2
    lines = plain.run("kappa", wide, *LEVELS).lines
    assert "read: left out: final" in lines
    assert "  passed over: 2 grades that came again" in lines
    rows = "a,q,d,1\n a,q,e,0\n a,q,f,0\nb,q,d,1\nb,q,e,0\n"
    long = written(tmp_path, f"labeller,qid,docno,grade\n{rows}")
    note = '"a" and " a" are one labeller: names are read without the blanks around them'
    assert [each for each in plain.ask("kappa", long, *LEVELS)["notes"] if "blanks" in each] == [note]


def test_words_that_python_takes_for_numbers_are_words(plain: Plain, tmp_path: Path) -> None:
    file = written(tmp_path, "labeller,qid,docno,grade\na,q,d,nan\nb,q,d,nan\na,q,e,inf\nb,q,e,skip\n")
    answer = plain.ask("kappa", file, "--levels", "inf,infinity", "--unjudgeable", "nan,skip")
    assert [answer["left_out"][each] for each in ("unjudgeable_both", "unjudgeable_one")] == [1, 1]
    answer = plain.ask("kappa", file, "--levels", "nan,inf,1_0,10", "--unjudgeable", "skip")
    assert (answer["pooled"]["n"], answer["levels"]) == (1, ["nan", "inf", "1_0", "10"])
    said = plain.run("kappa", file, "--levels", "nan,inf,10,1e1", "--unjudgeable", "skip", status=2)
    assert '"1e1" is named twice' in said.err


def test_what_is_undefined_is_null_with_its_reason_and_words_for_people(plain: Plain, tmp_path: Path) -> None:
    file = two_people(tmp_path, [0, 0, 0], [0, 0, 0])
    answer = plain.ask("kappa", file, *LEVELS, "--intervals", "--per-query")
    one_level = "those who share pairs gave one and the same level throughout"
    assert (answer["pooled"]["kappa"], answer["pooled"]["low"]) == (None, None)
    assert answer["pooled"]["reason"].startswith(one_level)
    assert answer["alpha"]["ordinal"] is None
    assert answer["undefined"]["alpha.ordinal"].startswith(one_level)
    assert answer["specific"][1] == {
        "level": "1",
        "agreement": None,
        "reason": "nobody gave this level to a pair that two graded",
    }
    assert answer["couples"][0]["homogeneity"] == {"reason": "the two never differ"}
    assert answer["intervals"]["bootstrap"]["reason"] == "in some resamples of the queries a single level is left"
    assert answer["intervals"]["analytic"][0]["low"] is None
    assert answer["per_query"][0]["kappa"] is None
    assert answer["gate"]["answer"] == "undefined"
    said = plain.run("kappa", file, *LEVELS, "--intervals", "--per-query").out
    assert ": undefined: those who share pairs" in said
    assert "NaN" not in said
    assert "nan" not in said


def test_a_kappa_without_an_interval_says_why(plain: Plain, tmp_path: Path) -> None:
    file = written(tmp_path, "labeller,qid,docno,grade\na,q,d1,0\nb,q,d1,0\na,q,d2,1\nb,q,d2,1\n")
    said = plain.run("kappa", file, *LEVELS).out
    why = "an interval needs doubly judged pairs of two queries or more"
    assert f"kappa over 2 pairs of 1 query: 1.000, without an interval: {why}" in said


def test_one_person_s_grades_are_left_out_and_there_is_nothing_to_measure(plain: Plain, tmp_path: Path) -> None:
    file = written(tmp_path, "labeller,qid,docno,grade\na,q,d1,0\na,q,d2,1\n")
    answer = plain.ask("kappa", file, *LEVELS)
    assert (answer["pooled"]["n"], answer["exact"], answer["left_out"]["single"]) == (0, None, 2)
    assert answer["undefined"]["exact"] == "no pair was graded by two people"
    plain.run("kappa", file, *LEVELS)


def test_levels_keep_the_order_in_which_they_were_named_where_libraries_sort_them(plain: Plain, tmp_path: Path) -> None:
    """The trap: as strings 10 comes before 2, and the weights become wrong."""
    a, b = ["2", "10", "1", "1", "10"], ["10", "10", "2", "1", "1"]
    found = plain.ask("kappa", two_people(tmp_path, a, b), "--levels", "1,2,10")["pooled"]["kappa"]
    words = dict(zip(("1", "2", "10"), ("no", "partly", "yes"), strict=True))
    file = two_people(tmp_path, [words[one] for one in a], [words[one] for one in b])
    assert found == plain.ask("kappa", file, "--levels", "no,partly,yes")["pooled"]["kappa"]
    assert found != plain.ask("kappa", file, "--levels", "no,yes,partly")["pooled"]["kappa"]
    for levels in ("1,10,2", "10,2,1"):
        said = plain.run("kappa", two_people(tmp_path, a, b), "--levels", levels, status=2).err
        assert f"The levels {levels.replace(',', ', ')} do not rise." in said


def test_a_level_without_a_name_is_refused(plain: Plain, grades: Path) -> None:
    assert "There is a level without a name." in plain.run("kappa", grades, "--levels", "0,,1", status=2).err


@pytest.mark.parametrize("at", [0, 5, 399])
def test_a_person_s_column_is_one_wherever_its_only_word_stands(plain: Plain, tmp_path: Path, at: int) -> None:
    """The first rows alone once made the third person nobody, and a failed gate passed."""
    rows = [[f"q{row % 40}", f"d{row}", row % 4, row % 4, (row * 7 + row // 4) % 4] for row in range(400)]
    rows[at][4] = "skip"
    file = written(tmp_path, "qid,docno,ana,ben,cem\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    asked = ("kappa", file, *LEVELS, "--policy", "standard")
    answer = plain.ask(*asked, "--unjudgeable", "skip", status=1)
    assert [one["labeller"] for one in answer["versus_rest"]] == ["ana", "ben", "cem"]
    assert (answer["gate"]["answer"], answer["left_out"]["unjudgeable_beside"]) == ("failed", 1)
    refused = plain.run(*asked, status=2)
    assert f'line {at + 2}: "skip" is no grade, and the column "cem" holds grades elsewhere' in refused.err


def test_a_person_named_twice_and_a_column_without_a_heading_are_told(plain: Plain, tmp_path: Path) -> None:
    file = written(tmp_path, "qid,docno,ana,ben,\nq,d1,0,1,so\nq,d2,1,1,so\n")
    assert "named twice" in plain.run("kappa", file, *LEVELS, "--people", "ana,ana", status=2).err
    assert "read: left out: a column without a heading" in plain.run("kappa", file, *LEVELS).lines


def test_two_who_grade_alike_on_the_mean_are_said_to(plain: Plain, tmp_path: Path) -> None:
    said = plain.run("kappa", two_people(tmp_path, [0, 1, 2], [1, 0, 2]), *LEVELS)
    assert "; both grade alike on the mean" in said.out


def test_the_people_of_a_wide_file_may_give_fractions_and_words(plain: Plain, tmp_path: Path) -> None:
    file = written(tmp_path, "qid,docno,title,ana,ben\nq,d1,Shoes,low,half\nq,d2,Boots,half,low\nq,d3,7,high,high\n")
    found = plain.ask("kappa", file, "--levels", "low,half,high")
    assert (found["couples"][0]["a"], found["couples"][0]["b"], found["pooled"]["n"]) == ("ana", "ben", 3)
    file.write_text("qid,docno,ana,ben\nq,d1,0,1.5\nq,d2,1,1\n", "utf-8")
    assert plain.ask("kappa", file, "--levels", "0,1,1.5")["pooled"]["n"] == 2


def test_a_level_is_a_level_though_a_spreadsheet_made_2_0_of_2(plain: Plain, grades: Path) -> None:
    before = plain.ask("kappa", grades, *LEVELS)
    grades.write_text(grades.read_text("utf-8").replace(",2\n", ",2.0\n"), "utf-8")
    assert plain.ask("kappa", grades, *LEVELS) == before


@pytest.mark.parametrize("grade", ["7", "-1", "nan", "good", "None"])
def test_a_grade_that_is_no_level_is_refused_and_never_silently_dropped(plain: Plain, grades: Path, grade: str) -> None:
    """The trap: libraries drop labels outside the list, so that a skip by one person becomes agreement."""
    grades.write_text(grades.read_text("utf-8").replace("ben,q2,d4,1", f"ben,q2,d4,{grade}"), "utf-8")
    said = plain.run("kappa", grades, *LEVELS, status=2)
    assert f'{grades}, line 9: "{grade}", given by "ben", is none of the levels.' in said.err
    assert "--unjudgeable" in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--levels", "0"), "at least two levels"),
        (("--levels", "0,1,1.0,2,3"), '"1.0" is named twice'),
        ((*LEVELS, "--unjudgeable", "3"), '"3" is named twice'),
        ((*LEVELS, "--weights", "cubic"), "no weights 'cubic'"),
        ((*LEVELS, "--policy", "lax"), "no policy 'lax'"),
        ((*LEVELS, "--confidence", "1"), "between 0 and 1"),
        ((*LEVELS, "--layout", "round"), '"round" is no layout'),
        ((*LEVELS, "--grade", "mark"), "mark"),
        ((*LEVELS, "--encoding", "klingon"), "klingon"),
    ],
)
def test_bad_usage_ends_with_2_and_says_what_is_wrong(
    plain: Plain, grades: Path, arguments: tuple[str, ...], words: str
) -> None:
    said = plain.run("kappa", grades, *arguments, status=2)
    assert words in said.err
    assert said.out == ""


def test_a_file_that_is_not_there_is_said_to_be_not_there(plain: Plain, tmp_path: Path) -> None:
    assert "There is no file" in plain.run("kappa", tmp_path / "none.csv", *LEVELS, status=2).err


def test_help_has_an_example(plain: Plain) -> None:
    assert "Example: adjudge kappa grades.csv --levels 0,1,2,3" in " ".join(plain.run("kappa", "--help").out.split())


def test_a_labeller_with_the_pairs_asked_and_no_interval_keeps_the_gate_shut(plain: Plain, tmp_path: Path) -> None:
    rows = [f"{who},q{pair // 10},d{pair},{pair % 4}" for pair in range(2000) for who in ("ana", "ben")]
    rows += [f"{who},other,d{at},{(at + add) % 2 * 3}" for at in range(100) for who, add in (("ana", 0), ("cat", 1))]
    grades = written(tmp_path, "\n".join(["labeller,qid,docno,grade", *rows]) + "\n")
    said = plain.run("kappa", grades, *LEVELS, "--policy", "standard", status=1)
    assert any(
        line.startswith("Not enough evidence: ") and "cat against the rest has no" in line for line in said.lines
    )
    assert any(line.startswith("  can't be told: labellers: ") for line in said.lines)


@pytest.mark.parametrize("heading", ["verdict", "foo"])
def test_a_column_of_labellers_without_one_of_grades_asks_which_one_holds_them(
    plain: Plain, tmp_path: Path, heading: str
) -> None:
    """Read as one column a person, its grades would be those of somebody called like the column."""
    grades = written(tmp_path, LONG.replace("grade", heading, 1))
    refused = plain.run("kappa", grades, *LEVELS, status=2).err
    assert 'other.csv: the column "labeller" says who graded, and none says the grade.' in refused
    assert f"The line reads “labeller | qid | docno | {heading}”." in refused
    assert "Name the column that holds the grade (--grade)" in refused
    assert plain.ask("kappa", grades, *LEVELS, "--grade", heading)["pooled"]["n"] == 6


def test_a_column_like_the_labeller_s_in_a_wide_file_is_no_fault_where_it_is_said_to_be_wide(
    plain: Plain, tmp_path: Path
) -> None:
    grades = written(tmp_path, "user,qid,docno,ana,ben\nx,q1,d1,3,2\ny,q1,d2,0,0\n")
    assert 'the column "user" says who graded' in plain.run("kappa", grades, *LEVELS, status=2).err
    for said in (("--layout", "wide"), ("--people", "ana,ben")):
        answer = plain.ask("kappa", grades, *LEVELS, *said)
        assert ([one["labeller"] for one in answer["versus_rest"]], answer["pooled"]["n"]) == (["ana", "ben"], 2)


def test_an_interval_beyond_1_is_said_not_to_be_cut_off(plain: Plain, tmp_path: Path) -> None:
    grades = written(tmp_path, "\n".join(LONG.splitlines()[:9]) + "\n")
    said = "No interval is cut off at 1, where kappa ends: an end beyond it says how little so few queries tell."
    assert plain.ask("kappa", grades, *LEVELS)["pooled"]["high"] > 1
    assert plain.run("kappa", grades, *LEVELS).lines.count(said) == 1
    assert plain.run("kappa", grades, *LEVELS, "--intervals").lines.count(said) == 1
    assert "none of which is cut off at 1" in " ".join(plain.run("kappa", "--help").out.replace("│", "").split())


def test_an_interval_of_no_width_is_said_to_tell_nothing(plain: Plain, tmp_path: Path) -> None:
    """Two pairs of three hundred are of another level than the lowest; and cy gave one level only."""
    rows = [f"q{at // 10},d{at},{int(at in (5, 155))},{int(at in (5, 155))},0" for at in range(300)]
    wide = written(tmp_path, "\n".join(["qid,docno,ana,ben,cy", *rows]) + "\n")
    asked = ("kappa", wide, *LEVELS, "--people")
    answer = plain.ask(*asked, "ana,ben")
    assert (answer["pooled"]["low"], answer["pooled"]["high"], answer["pooled"]["no_width"]) == (
        1,
        1,
        "no pair differs",
    )
    lines = plain.run(*asked, "ana,ben").lines
    no_width = "no pair differs, so that the interval has no width and says nothing of how sure that is"
    assert "kappa over 300 pairs of 30 queries: 1.000 (1.000 to 1.000, of no width: no pair differs)" in lines
    assert "An interval of no width says nothing of how sure kappa is: the queries are too much alike to tell." in lines
    assert any(line.startswith("Passed: ") and line.endswith(f". N{no_width[1:]}.") for line in lines)
    assert any(f"1.000 to 1.000; {no_width}" in line for line in lines)
    third = plain.ask(*asked, "ana,cy")["versus_rest"][1]
    assert (third["kappa"], third["no_width"]) == (0, "leaving out any one query changes nothing")
    assert ".000 (.000 to .000, of no width: leaving out any one query" in plain.run(*asked, "ana,cy").out
    differing = written(tmp_path, "qid,docno,ana,ben\nq,a,0,1\nq,b,1,1\nr,a,1,1\nr,b,0,0\n")
    assert plain.ask("kappa", differing, *LEVELS)["pooled"]["no_width"] is None
    assert "no width" not in plain.run("kappa", differing, *LEVELS).out


def test_where_every_interval_ends_below_1_nothing_is_said_of_it(plain: Plain, tmp_path: Path) -> None:
    levels = [at * 7 % 4 for at in range(60)]
    grades = two_people(tmp_path, levels, [(level + (at % 3 == 0)) % 4 for at, level in enumerate(levels)])
    assert plain.ask("kappa", grades, *LEVELS)["pooled"]["high"] < 1
    assert "cut off at 1" not in plain.run("kappa", grades, *LEVELS, "--intervals").out


def test_where_nothing_is_left_out_that_is_what_is_said(plain: Plain, tmp_path: Path) -> None:
    lines = plain.run("kappa", two_people(tmp_path, [0, 1, 2], [0, 1, 3]), *LEVELS).lines
    assert "nothing was left out" in lines
    assert not any("left out:" in line and "0 pairs" in line for line in lines)


def test_why_figures_beside_kappa_are_undefined_is_said_once(plain: Plain, tmp_path: Path) -> None:
    lines = plain.run("kappa", two_people(tmp_path, [3, 3], [3, 3]), *LEVELS).lines
    (beside,) = (line for line in lines if line.startswith("beside it: "))
    assert beside.endswith(
        "alpha (interval) undefined (those who share pairs gave one and the same level throughout, so that chance "
        "alone would agree completely)"
    )


def test_a_mean_is_a_place_on_the_scale_and_a_shift_that_rounds_to_nothing_is_none(
    plain: Plain, tmp_path: Path
) -> None:
    levels = [at % 4 for at in range(400)]
    grades = two_people(tmp_path, levels, [1, *levels[1:]])
    lines = plain.run("kappa", grades, "--levels", "0,1,2,3").lines
    assert any("both grade alike on the mean (Stuart-Maxwell p = " in line for line in lines)
    assert any(line.endswith("mean place 1.50, the lowest level's being 0") for line in lines)
