import csv
import io
from pathlib import Path

import numpy as np
import pytest

from app.measures.figures import figure
from app.measures.paired import difference
from app.measures.planning import detectable
from tests.cli.plain import Plain, plain

__all__ = ["plain"]
GAIN = ("--gain", "exponential")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Forty queries of three judged documents; the second run puts the best one first more often."""
    rng = np.random.default_rng(5)
    qrels: list[str] = []
    runs: dict[str, list[str]] = {"base": [], "better": [], "other": []}
    for at in range(40):
        qrels += [f"q{at} 0 d{doc} {grade}" for doc, grade in enumerate((3, 1, 0))]
        for name, noise in (("base", 2.0), ("better", 0.3), ("other", 2.0)):
            scores = np.array([2.0, 1.0, 0.0]) + rng.normal(0, noise, 3)
            runs[name] += [f"q{at} Q0 d{doc} 1 {score:.6f} {name}" for doc, score in enumerate(scores)]
    paths = {"qrels": tmp_path / "judged.qrels", **{name: tmp_path / f"{name}.run" for name in runs}}
    for name, lines in (("qrels", qrels), *runs.items()):
        paths[name].write_text("\n".join(lines) + "\n", "utf-8")
    return paths


def test_the_json_names_convention_files_and_every_number_of_the_comparison(
    plain: Plain, files: dict[str, Path]
) -> None:
    answer = plain.ask("compare", files["qrels"], files["base"], files["better"], *GAIN)
    assert answer["convention"]["line"].startswith("nDCG@10 gain=exponential discount=log2")
    assert answer["convention"]["gain"] == "exponential"
    assert (answer["qrels"]["queries"], answer["qrels"]["judgments"], len(answer["qrels"]["sha256"])) == (40, 120, 64)
    assert [run["name"] for run in answer["runs"]] == ["base", "better"]
    assert list(answer["runs"][0]["measures"]) == ["nDCG@10", "recall@100", "judged@10"]
    (found,) = answer["comparisons"]
    assert (found["first"], found["second"], found["is_decided"]) == ("base", "better", True)
    by_hand = difference(list(dict(sorted(found["per_query"].items(), key=lambda each: each[0].encode())).values()))
    assert (found["mean"], found["p_alone"], found["p"]) == (by_hand.mean, by_hand.p, by_hand.p)
    assert (found["low"], found["high"]) == by_hand.by_t
    assert found["intervals"]["studentised"] == dict(zip(("low", "high"), by_hand.by_studentised, strict=True))  # type: ignore[arg-type]
    means = [run["measures"]["nDCG@10"]["mean"] for run in answer["runs"]]
    assert found["mean"] == pytest.approx(means[1] - means[0], abs=1e-12)


def test_the_words_begin_with_the_convention_and_end_with_how_chance_was_asked(
    plain: Plain, files: dict[str, Path]
) -> None:
    said = plain.run("compare", files["qrels"], files["base"], files["better"], files["other"], *GAIN, "--moved", 2)
    assert said.lines[0].startswith("nDCG@10 gain=exponential")
    assert said.lines[1].startswith("recall@100 judged@10 gain=exponential")
    assert said.lines[2].endswith("120 judgments of 40 queries")
    (note,) = (line for line in said.lines if line.startswith("judged@10 is a share of what a run returned"))
    assert note.endswith("whatever no-relevant and missing say.")
    assert any(line.startswith("better is better than base by ") for line in said.lines)
    assert any(line.startswith("other and base are indistinguishable on this query set") for line in said.lines)
    assert sum(line.startswith("  moved most: ") and line.count(",") == 1 for line in said.lines) == 2
    assert said.lines[-1] == "p of sign-flip permutation, adjusted by Holm over 2; 10,000 resamples, seed 0"


def test_all_pairs_are_adjusted_by_tukey(plain: Plain, files: dict[str, Path]) -> None:
    three = [files[name] for name in ("base", "better", "other")]
    answer = plain.ask("compare", files["qrels"], *three, *GAIN, "--all-pairs")
    assert answer["adjusted_by"] == "randomised Tukey HSD"
    assert [(one["first"], one["second"]) for one in answer["comparisons"]] == [
        ("base", "better"),
        ("base", "other"),
        ("better", "other"),
    ]


def test_csv_has_one_row_a_comparison_with_its_convention(plain: Plain, files: dict[str, Path]) -> None:
    said = plain.run("compare", files["qrels"], files["base"], files["better"], files["other"], *GAIN, "--csv")
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert [row["second"] for row in rows] == ["better", "other"]
    assert said.lines[0].startswith("convention,first,second")
    assert all(row["convention"].startswith("nDCG@10 gain=exponential") for row in rows)
    assert (
        float(rows[0]["mean"])
        == plain.ask("compare", files["qrels"], files["base"], files["better"], *GAIN)["comparisons"][0]["mean"]
    )


def test_other_conventions_are_tried_and_told(plain: Plain, files: dict[str, Path]) -> None:
    asked = ("compare", files["qrels"], files["base"], files["better"], *GAIN, "--conventions")
    (found,) = plain.ask(*asked)["conventions"]
    assert len(found["under"]) == 7
    assert found["under"][0]["line"].startswith("nDCG@10 gain=exponential discount=log2")
    assert "better against base, as asked and under other conventions" in plain.run(*asked).lines


@pytest.mark.parametrize("more", [(), ("--all-pairs",)])
def test_p_is_adjusted_under_other_conventions_too(plain: Plain, files: dict[str, Path], more: tuple[str, ...]) -> None:
    runs = [files[name] for name in ("base", "better", "other")]
    asked = ("compare", files["qrels"], *runs, *GAIN, "--conventions", *more)
    answer = plain.ask(*asked)
    for compared, turned in zip(answer["comparisons"], answer["conventions"], strict=True):
        same = turned["under"][0]
        assert [turned[each] for each in ("first", "second")] == [compared[each] for each in ("first", "second")]
        assert [same[each] for each in ("p", "p_alone")] == [compared[each] for each in ("p", "p_alone")]
        linear = plain.ask("compare", files["qrels"], *runs, "--gain", "linear", *more)["comparisons"]
        of_linear = next(one for one in turned["under"] if " gain=linear discount=log2 " in one["line"])
        assert of_linear["p"] in [one["p"] for one in linear]


def test_a_measure_beside_of_the_same_name_does_not_take_the_place_of_the_compared_one(
    plain: Plain, files: dict[str, Path]
) -> None:
    choices = ("--gain", "linear", "-m", "precision@1", "--beside", "precision(rel=3)@1,precision@1,judged@10")
    asked = ("compare", files["qrels"], files["base"], files["better"], *choices)
    answer = plain.ask(*asked)
    for run in answer["runs"]:
        assert list(run["measures"]) == ["precision@1", "precision(rel=3)@1", "judged@10"]
    means = [run["measures"]["precision@1"]["mean"] for run in answer["runs"]]
    assert means[1] - means[0] == pytest.approx(answer["comparisons"][0]["mean"], abs=1e-12)
    measures = answer["runs"][0]["measures"]
    assert measures["precision@1"]["mean"] > measures["precision(rel=3)@1"]["mean"]
    thresholds = [one["convention"].rpartition("=")[2] for one in measures.values()]
    assert thresholds == ["1", "3", "1"]
    lines = plain.run(*asked).lines
    assert [line.split(" gain=")[0] for line in lines[:3]] == ["precision@1", "precision(rel=3)@1", "judged@10"]
    assert f"precision@1 {figure(means[0], 0.0)}  precision(rel=3)@1" in lines[4]


def test_a_comma_in_brackets_parts_no_measures(plain: Plain, files: dict[str, Path]) -> None:
    named = "nDCG(judged_only=True,dcg=log2)@5"
    asked = ("compare", files["qrels"], files["base"], files["better"], *GAIN, "--beside", f"AP,{named}")
    assert list(plain.ask(*asked)["runs"][0]["measures"]) == ["nDCG@10", "AP", named]


def test_ndcg_is_never_shown_alone(plain: Plain, files: dict[str, Path]) -> None:
    asked = ("compare", files["qrels"], files["base"], files["better"], *GAIN, "--beside", "AP")
    lines = plain.run(*asked).lines
    assert [line.split(" gain=")[0] for line in lines[:2]] == ["nDCG@10", "AP recall@100 judged@10"]
    assert list(plain.ask(*asked)["runs"][0]["measures"]) == ["nDCG@10", "AP"]


def test_what_could_be_detected_is_told_at_the_level_that_was_asked(plain: Plain, files: dict[str, Path]) -> None:
    asked = ("compare", files["qrels"], files["base"], files["other"], *GAIN)
    (usual,), (sure,) = (plain.ask(*asked, *more)["comparisons"] for more in ((), ("--confidence", ".999")))
    assert usual["detectable"] == pytest.approx(detectable(40, usual["sd"]), rel=1e-12)
    assert sure["detectable"] == pytest.approx(detectable(40, sure["sd"], level=0.001), rel=1e-9)


def test_where_the_other_run_becomes_the_better_one_the_words_say_so(plain: Plain, tmp_path: Path) -> None:
    qrels, a, b = (tmp_path / name for name in ("q", "a", "b"))
    qrels.write_text("q 0 top 3\nq 0 x 2\nq 0 y 2\nq 0 z 2\n", "utf-8")
    a.write_text("q Q0 top 1 3 a\nq Q0 o 2 2 a\n", "utf-8")
    b.write_text("q Q0 o 1 4 b\nq Q0 x 2 3 b\nq Q0 y 3 2 b\nq Q0 z 4 1 b\n", "utf-8")
    said = plain.run("compare", qrels, a, b, *GAIN, "--conventions")
    assert "the difference turns round: nDCG@10 gain=linear" in said.out
    assert (
        "b and a can't be told apart: there is no interval, because a spread needs two queries or more." in said.lines
    )
    assert "  t undefined: a spread needs two queries or more" in said.lines
    found = plain.ask("compare", qrels, a, b, *GAIN)["comparisons"][0]
    assert (found["sd"], found["low"], found["undefined"]["sd"]) == (None, None, "a spread needs two queries or more")


def test_runs_whose_top_is_hardly_judged_are_inconclusive(plain: Plain, shared_data: Path) -> None:
    data = shared_data / "liveqa-med"
    said = plain.run("compare", data / "qrels.txt", data / "runs/lqa-bm25.run", data / "runs/lqa-lsa.run", *GAIN)
    assert any(line.startswith("Inconclusive, unjudged: judged@10 of lqa-bm25 is only .166.") for line in said.lines)
    assert "  26 queries have no value for either and are left out" in said.lines
    assert "  Inconclusive all the same: too little of what lqa-lsa and lqa-bm25 return is judged" in said.lines
    asked = ("compare", data / "qrels.txt", data / "runs/lqa-bm25.run", data / "runs/lqa-lsa.run", *GAIN)
    assert plain.ask(*asked)["comparisons"][0]["is_inconclusive"] is True
    assert plain.run(*asked, "--csv").lines[1].endswith(",True")


def test_a_missing_query_is_told_and_counts_as_0_or_is_refused_as_another_query_set(
    plain: Plain, files: dict[str, Path]
) -> None:
    lines = files["better"].read_text("utf-8").splitlines()
    files["better"].write_text("\n".join(line for line in lines if not line.startswith("q7 ")) + "\n", "utf-8")
    asked = ("compare", files["qrels"], files["base"], files["better"], *GAIN)
    assert any(line.startswith("  better") and line.endswith(", 1 query missing") for line in plain.run(*asked).lines)
    said = plain.run(*asked, "--missing", "exclude", status=2)
    assert "base and better can't be compared over different query sets: better has no value for q7" in said.err


def test_the_way_out_of_an_ideal_of_0_is_one_that_works(plain: Plain, files: dict[str, Path]) -> None:
    lines = files["better"].read_text("utf-8").splitlines()
    files["better"].write_text("\n".join(line for line in lines if "q7 " not in line or " d2 " in line) + "\n", "utf-8")
    asked = ("compare", files["qrels"], files["base"], files["better"], *GAIN, "--ideal", "returned")
    said = plain.run(*asked, status=2).err
    assert "better has no value for q7" in said
    assert ("no-relevant=zero" in said, "missing=zero" in said) == (True, False)
    assert plain.ask(*asked, "--no-relevant", "zero")["comparisons"][0]["queries"] == 40


def test_two_files_of_one_tag_are_told_apart_by_their_paths(plain: Plain, files: dict[str, Path]) -> None:
    files["other"].write_text(files["base"].read_text("utf-8"), "utf-8")
    answer = plain.ask("compare", files["qrels"], files["base"], files["other"], *GAIN)
    assert [run["name"] for run in answer["runs"]] == [str(files["base"]), str(files["other"])]
    assert answer["comparisons"][0]["verdict"].endswith("score the same on every one of the 40 queries.")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), "No gain was named"),
        ((*GAIN, "-m", "nDCG@0"), "names no measure"),
        ((*GAIN, "--beside", "recall@10,fame@3"), "names no measure"),
        ((*GAIN, "--confidence", "2"), "between 0 and 1"),
        ((*GAIN, "--confidence", "1e-300"), "Confidence lies between 0 and 1"),
        ((*GAIN, "--confidence", "0.9999999999999999"), "Confidence lies between 0 and 1"),
        ((*GAIN, "-m", "judged@10"), "judged@10 tells how much was judged, and not which run is better."),
        ((*GAIN, "--json", "--csv"), "can't both be had"),
        ((*GAIN, "--conventions", "--csv"), "--csv has no place for --conventions. Take --json"),
        ((*GAIN, "--preset", "lucene"), "no preset 'lucene'"),
        ((*GAIN, "--resamples", "2000000000"), "1 to 1,000,000 resamples, not 2000000000"),
        ((*GAIN, "-m", "AP", "-m", "RR"), "--measure is given 2 times; it holds one value."),
    ],
)
def test_bad_usage_ends_with_2(plain: Plain, files: dict[str, Path], more: tuple[str, ...], words: str) -> None:
    said = plain.run("compare", files["qrels"], files["base"], files["better"], *more, status=2)
    assert words in said.err
    assert said.out == ""


def test_a_run_alone_is_refused(plain: Plain, files: dict[str, Path]) -> None:
    assert "two runs or more" in plain.run("compare", files["qrels"], files["base"], *GAIN, status=2).err


def test_a_bad_line_is_told_with_file_and_line(plain: Plain, files: dict[str, Path]) -> None:
    files["base"].write_text("q1 Q0 d1 1 high base\n", "utf-8")
    said = plain.run("compare", files["qrels"], files["base"], files["better"], *GAIN, status=2)
    assert f"{files['base']}, line 1: " in said.err


def test_a_plan_says_how_many_queries_show_a_difference(plain: Plain) -> None:
    said = plain.run("plan", "--delta", ".03", "--sd", ".2", "--queries", "100")
    assert said.lines == [
        "paired differences, two-sided test at 5%, power 80%, standard deviation .200",
        "About 351 queries show a difference of .030.",
        "100 queries show one of about .056 or more.",
    ]
    answer = plain.ask("plan", "--delta", ".03", "--sd", ".2")
    assert answer == {"delta": 0.03, "sd": 0.2, "power": 0.8, "level": 0.05, "queries": 351}
    assert plain.ask("plan", "--delta", ".03", "--sd", ".2", "--queries", 30)["given"]["detectable"] == pytest.approx(
        0.1023, abs=1e-4
    )


def test_a_plan_of_fewer_queries_than_can_show_anything_says_so(plain: Plain) -> None:
    why = "5 queries, all going one way, leave p of the sign flips above .05"
    said = plain.run("plan", "--delta", ".5", "--sd", ".1", "--queries", "5")
    assert said.lines[1:] == [
        "About 6 queries show a difference of .500.",
        f"Fewer show nothing, however alike the differences are: {why}.",
        f"5 queries show nothing: {why}. Take 6 or more.",
    ]
    given = plain.ask("plan", "--delta", ".5", "--sd", ".1", "--queries", "5")["given"]
    assert given == {"queries": 5, "detectable": None, "reason": f"{why}, whatever the difference"}
    assert len(plain.run("plan", "--delta", "9", "--sd", ".1", "--level", ".6").lines) == 2
    enough = plain.run("plan", "--delta", ".1", "--sd", ".1", "--queries", "6")
    assert enough.lines[1:] == [
        "About 10 queries show a difference of .100.",
        "6 queries show one of about .114 or more.",
    ]


def test_a_plan_at_no_level_is_refused(plain: Plain) -> None:
    for spread in ("0", ".2"):
        said = plain.run("plan", "--delta", ".1", "--sd", spread, "--level", "1e-17", status=2).err
        assert "the level of the test between 0 and 1" in said


def test_a_plan_for_nothing_is_refused(plain: Plain) -> None:
    assert "above 0" in plain.run("plan", "--delta", "0", "--sd", ".2", status=2).err


@pytest.mark.parametrize("command", ["compare", "plan"])
def test_help_has_an_example(plain: Plain, command: str) -> None:
    assert f"Example: adjudge {command} " in " ".join(plain.run(command, "--help").out.split())


def test_so_few_queries_are_not_told_of_what_they_could_detect(plain: Plain, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("".join(f"q{at} 0 a 1\nq{at} 0 b 0\n" for at in range(5)), "utf-8")
    for name, order in (("worse", "ba"), ("better", "ab")):
        lines = [f"q{at} Q0 {docno} 1 {9 - rank} {name}\n" for at in range(5) for rank, docno in enumerate(order)]
        (tmp_path / name).write_text("".join(lines), "utf-8")
    answer = plain.ask("compare", tmp_path / "q", tmp_path / "worse", tmp_path / "better", *GAIN)
    (found,) = answer["comparisons"]
    assert found["verdict"].startswith(
        "better and worse can't be told apart by so few queries: the difference is .369 "
    )
    assert found["verdict"].endswith("and p = .063 is the least there is where 5 queries differ.")
    asked = ("compare", tmp_path / "q", tmp_path / "worse", tmp_path / "better", *GAIN)
    without_width = "; its interval has no width and says nothing of how sure that is"
    assert any(line.startswith("  t undefined: ") and line.endswith(without_width) for line in plain.run(*asked).lines)
    for more in ((), ("--all-pairs",)):
        assert plain.run(*asked, *more).lines[-1] == "p of every sign flip", "where no spread is, no interval is drawn"


def test_an_interval_beyond_what_a_difference_can_be_is_said_not_to_be_cut_off(plain: Plain, tmp_path: Path) -> None:
    """Two queries won and one lost by much: t's ends are far apart."""
    (tmp_path / "q").write_text("".join(f"q{at} 0 a 3\nq{at} 0 b 0\n" for at in range(3)), "utf-8")
    for name, orders in (("one", ("ba", "ba", "ab")), ("two", ("ab", "ab", "ba"))):
        lines = [
            f"q{at} Q0 {docno} 1 {-rank} {name}\n"
            for at, order in enumerate(orders)
            for rank, docno in enumerate(order)
        ]
        (tmp_path / name).write_text("".join(lines), "utf-8")
    asked = ("compare", tmp_path / "q", tmp_path / "one", tmp_path / "two", *GAIN, "-m")
    assert plain.ask(*asked, "RR")["comparisons"][0]["high"] > 1
    said = "No interval is cut off at 1, the most that two runs can differ by: an end beyond it says how little so few"
    assert any(line.startswith(said) for line in plain.run(*asked, "RR").lines)
    assert plain.ask(*asked, "DCG@10")["comparisons"][0]["high"] > 1
    assert not any(line.startswith(said) for line in plain.run(*asked, "DCG@10").lines)
    assert not any(line.startswith(said) for line in plain.run(*asked, "recall@10").lines)


def test_what_was_drawn_is_named_and_one_comparison_is_adjusted_for_nothing(plain: Plain, tmp_path: Path) -> None:
    qrels, runs = written(tmp_path, 6)
    asked = ("compare", qrels, *runs[:2], *GAIN)
    for more in ((), ("--all-pairs",)):
        answer = plain.ask(*asked, *more)
        (found,) = answer["comparisons"]
        assert (answer["adjusted_by"], found["is_exact"], found["p"]) == (None, True, found["p_alone"])
        assert (found["p_error"], found["doubt"]) == (0.0, None)
        said = "p of every sign flip; 10,000 resamples, seed 0, of the studentised interval"
        assert plain.run(*asked, *more).lines[-1] == said
    three = ("compare", qrels, *runs, *GAIN)
    assert plain.run(*three).lines[-1] == (
        "p of every sign flip, adjusted by Holm over 2; 10,000 resamples, seed 0, of the studentised interval"
    )
    assert plain.run(*three, "--all-pairs").lines[-1] == (
        "p of sign-flip permutation, adjusted by randomised Tukey HSD over 3 and never below a pair's own; "
        "10,000 resamples, seed 0"
    )


def test_a_p_that_more_resamples_could_put_on_the_other_side_is_said_to_be_unsure(plain: Plain, tmp_path: Path) -> None:
    qrels, runs = written(tmp_path, 60)
    asked = ("compare", qrels, *runs[:2], *GAIN, "--resamples", 20)
    (found,) = plain.ask(*asked)["comparisons"]
    assert abs(found["p"] - 0.05) <= 2 * found["p_error"]
    assert "by the chance in 20 resamples: that holds .05, so take more resamples" in found["doubt"]
    assert f"  {found['doubt']}" in plain.run(*asked).lines


def written(folder: Path, queries: int) -> tuple[Path, list[Path]]:
    """Three runs that put one of two documents first, or both last, by turns."""
    (folder / "q").write_text("".join(f"q{at} 0 a {1 + at % 3}\nq{at} 0 b 0\n" for at in range(queries)), "utf-8")
    paths = []
    for name, every in (("one", 2), ("two", 3), ("three", 5)):
        lines = [
            f"q{at} Q0 {docno} 1 {9 - rank} {name}\n"
            for at in range(queries)
            for rank, docno in enumerate(("ab", "bca")[at % every == 0])
        ]
        paths.append(folder / name)
        paths[-1].write_text("".join(lines), "utf-8")
    return folder / "q", paths


def test_a_run_of_which_little_is_judged_is_named_beside_what_is_decided(plain: Plain, files: dict[str, Path]) -> None:
    asked = ("compare", files["qrels"], files["base"], files["better"], *GAIN)
    assert [run["too_few_judged"] for run in plain.ask(*asked)["runs"]] == [[], []]
    more = "".join(f"q{at} Q0 unknown{each} 1 -{9 + each} better\n" for at in range(40) for each in range(3))
    files["better"].write_text(files["better"].read_text("utf-8") + more, "utf-8")
    assert [run["too_few_judged"] for run in plain.ask(*asked)["runs"]] == [[], ["judged@10"]]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--delta", "1_0", "--sd", ".2"), "--delta takes a number, and '1_0' is none"),
        (("--delta", ".03", "--sd", "1e300"), "less than or equal to"),
        (("--delta", "1e300", "--sd", ".2"), "less than or equal to"),
        (("--delta", "1e-30", "--sd", "1"), "No number of queries finds a difference that small"),
        (("--delta", ".03", "--sd", ".2", "--queries", 10**13), "less than or equal to"),
    ],
)
def test_what_no_plan_holds_is_refused_in_words(plain: Plain, asked: tuple[object, ...], said: str) -> None:
    assert said in " ".join(plain.run("plan", *asked, status=2).err.replace("│", "").split())
