from pathlib import Path

import pytest

from tests.cli.plain import Plain, plain

__all__ = ["plain"]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    for name, docnos in (("a", "wxy"), ("b", "xyz")):
        lines = [f"q{at} Q0 {docno} 1 {9 - rank} {name}" for at in (1, 2) for rank, docno in enumerate(docnos)]
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n", "utf-8")
    return [tmp_path / "a.run", tmp_path / "b.run"]


def test_the_pool_of_files_says_size_overlap_and_price(plain: Plain, runs: list[Path]) -> None:
    answer = plain.ask("pool", *runs, "--depth", 2)
    assert answer["convention"] == {"line": "pool depth=2 ties=docno", "depth": 2, "ties": "docno"}
    assert (answer["queries"], answer["pairs"]) == (2, 6)
    assert answer["pairs_per_query"] == {"fewest": 3, "median": 3.0, "most": 3}
    assert answer["overlap"] == [[4, 2], [2, 4]]
    assert [(run["name"], run["unique"]) for run in answer["runs"]] == [("a", 2), ("b", 2)]
    assert answer["hours"] == pytest.approx(6 * 2 * 25 / 3600)
    assert answer["money"] == pytest.approx(60 * answer["hours"])


def test_the_words_begin_with_the_depth_and_options_may_come_first(plain: Plain, runs: list[Path]) -> None:
    said = plain.run("pool", "--depth", 2, *runs)
    assert said.lines == [
        "pool depth=2 ties=docno",
        "6 pairs for 2 queries: 3 to 3 a query, median 3",
        "0.08 hours and 5.00 for 2 labellers at 25 seconds a pair and 60 an hour",
        "  a: 4 pairs, 2 of them its own; shares 50% with b",
        "  b: 4 pairs, 2 of them its own; shares 50% with a",
    ]


def test_real_runs_pool_to_the_pairs_that_were_counted(plain: Plain, shared_data: Path) -> None:
    paths = sorted((shared_data / "liveqa-med" / "runs").glob("*.run"))
    assert [plain.ask("pool", *paths, "--depth", depth)["pairs"] for depth in (5, 10, 20)] == [1404, 2605, 4732]


def test_four_shop_systems_at_depth_20_give_about_thirty_a_query(plain: Plain, shared_data: Path) -> None:
    paths = sorted((shared_data / "chorus-products" / "runs").glob("*.run"))
    assert len(paths) == 4
    assert 15 <= plain.ask("pool", *paths)["pairs_per_query"]["median"] <= 45


def test_the_pairs_are_written_in_the_order_of_no_run(plain: Plain, runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "pairs.tsv"
    plain.run("pool", *runs, "--depth", 2, "-o", out)
    assert out.read_bytes() == b"q1\tw\nq1\tx\nq1\ty\nq2\tw\nq2\tx\nq2\ty\n"
    assert "can't be written" in plain.run("pool", *runs, "-o", tmp_path / "no" / "pairs.tsv", status=2).err


def test_a_run_whose_every_judgment_it_brought_itself_scores_nothing_without_them_and_is_flagged(
    plain: Plain, runs: list[Path], tmp_path: Path
) -> None:
    """The other runs are scored all the same."""
    (tmp_path / "c.run").write_text("q3 Q0 only 1 1 c\n", "utf-8")
    (tmp_path / "judged").write_text("q1 0 x 1\nq3 0 only 1\n", "utf-8")
    asked = ("pool", *runs, tmp_path / "c.run", "--qrels", tmp_path / "judged", "--gain", "linear", "--depth", 2)
    found = plain.ask(*asked)["left_out"]["runs"]
    assert [one["is_flagged"] for one in found] == [False, False, True]
    left = {"value": 0.5, "without": 0.0, "change": -0.5, "reason": None, "queries": 2, "emptied": 1}
    assert {name: found[2][name] for name in left} == left
    assert (
        "  c: .500 to .000, rank 1 to 3, over 2 queries; 1 judgment fewer, 1 query without a relevant one then, "
        "counted as 0; the judged set leans on it"
    ) in plain.run(*asked).lines


@pytest.mark.parametrize("measure", ["judged@10", "RBP-residual(p=0.8)"])
def test_what_tells_no_run_from_another_is_measured_without_none(
    plain: Plain, runs: list[Path], tmp_path: Path, measure: str
) -> None:
    (tmp_path / "judged").write_text("q1 0 x 1\n", "utf-8")
    asked = ("pool", *runs, "--qrels", tmp_path / "judged", "--gain", "linear", "-m", measure)
    said = plain.run(*asked, status=2).err
    assert f"{measure} tells how much was judged, and not which run is better. Measure another, as in nDCG@10." in said


def test_the_pairs_are_not_written_over_a_run_whatever_it_is_called(
    plain: Plain, runs: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "again").hardlink_to(runs[1])
    said = plain.run("pool", *runs, "--out", tmp_path / "again", status=2).err
    assert "is one of the files that were read" in said


def test_a_gain_without_judgments_is_refused(plain: Plain, runs: list[Path]) -> None:
    for option in (("--gain", "linear"), ("--preset", "trec")):
        assert "Nothing is measured without judgments." in plain.run("pool", *runs, *option, status=2).err


def test_the_help_of_the_pool_leads_to_the_options_for_files(plain: Plain) -> None:
    assert "adjudge pool runs --help" in " ".join(plain.run("pool", "--help").out.split())


def test_leaving_each_run_out_says_who_the_judged_set_leans_on(plain: Plain, runs: list[Path], tmp_path: Path) -> None:
    qrels = tmp_path / "judged.qrels"
    qrels.write_text(
        "".join(
            f"q{at} 0 {docno} {grade}\n" for at in (1, 2) for docno, grade in zip("wxyz", (3, 1, 1, 0), strict=True)
        ),
        "utf-8",
    )
    answer = plain.ask("pool", *runs, "--qrels", qrels, "--gain", "linear")["left_out"]
    assert answer["convention"].startswith("nDCG@10 gain=linear")
    assert [(one["name"], one["lost"], one["is_flagged"]) for one in answer["runs"]] == [
        ("a", 2, True),
        ("b", 2, False),
    ]
    said = plain.run("pool", *runs, "--qrels", qrels, "--preset", "trec")
    assert any(line.startswith("  a: 1.000 to ") and line.endswith("leans on it") for line in said.lines)


def test_a_run_without_a_judged_query_is_undefined(plain: Plain, runs: list[Path], tmp_path: Path) -> None:
    qrels = tmp_path / "judged.qrels"
    qrels.write_text("q9 0 w 2\n", "utf-8")
    (tmp_path / "c.run").write_text("q9 Q0 w 1 1 c\n", "utf-8")
    asked = ("pool", runs[0], tmp_path / "c.run", "--qrels", qrels, "--gain", "linear")
    one = plain.ask(*asked)["left_out"]["runs"][0]
    assert (one["without"], one["change"], one["reason"]) == (None, None, "the run holds no query that was judged")
    said = plain.run(*asked).lines
    assert "  a: undefined, the run holds no query that was judged; the judged set leans on it" in said


def test_leaving_out_asks_for_a_gain_as_every_score_does(plain: Plain, runs: list[Path]) -> None:
    assert "no silent default" in plain.run("pool", *runs, "--qrels", runs[0], status=2).err


def test_one_run_has_a_pool_and_shares_it_with_nobody(plain: Plain, runs: list[Path]) -> None:
    assert "  a: 6 pairs, 6 of them its own; shares none" in plain.run("pool", runs[0]).lines


@pytest.mark.parametrize("verb", ["look", "draw"])
def test_the_verbs_on_a_project_are_still_there(plain: Plain, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADJUDGE_PROJECT", raising=False)
    assert "ADJUDGE_PROJECT is not set" in plain.run("pool", verb, status=2).err


def test_help_shows_both_and_an_example(plain: Plain) -> None:
    assert "Look at the pool of runs in files" in " ".join(plain.run("pool", "--help").out.split())
    plain.run("pool", status=2)
    assert "Example: adjudge pool bm25.run dense.run" in " ".join(plain.run("pool", "runs", "--help").out.split())


def test_a_file_called_like_a_verb_is_written_with_its_folder(
    plain: Plain, runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs[0].rename(tmp_path / "look")
    monkeypatch.chdir(tmp_path)
    assert plain.ask("pool", "./look", "b.run")["pairs"] == 8


@pytest.mark.parametrize("more", [("--depth", "0"), ("--rate", "-1"), ("missing.run",)])
def test_bad_usage_ends_with_2(plain: Plain, runs: list[Path], more: tuple[str, ...]) -> None:
    plain.run("pool", *runs, *more, status=2)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("q1 Q0 w 1 9 c\nq2 Q0 x 1 9 c\nq1 Q0 w 2 8 c\n", 'odd.run, line 3: the document "w" has been ranked'),
        ("q1 Q0 w 1 9 c\nq1 Q0 w 2 8 c\n", 'odd.run, line 2: the document "w" has been ranked'),
        ("q1 Q0 w 1 9 c\nq1 Q0 x 2 8 d\n", 'odd.run, line 2: the tag is "d" here'),
    ],
)
def test_a_fault_in_a_run_is_told_with_its_line(plain: Plain, tmp_path: Path, lines: str, said: str) -> None:
    run = tmp_path / "odd.run"
    run.write_text(lines, "utf-8")
    assert said in plain.run("pool", run, status=2).err


def test_a_query_that_comes_back_after_others_is_one_ranking(plain: Plain, tmp_path: Path) -> None:
    run = tmp_path / "split.run"
    run.write_text("# by hand\nq1 Q0 w 1 9 c\nq2 Q0 x 1 9 c\nq1 Q0 y 2 8 c\n", "utf-8")
    answer = plain.ask("pool", run)
    assert (answer["queries"], answer["pairs_per_query"]["most"]) == (2, 2)


def test_a_run_is_named_once_and_never_written_over(plain: Plain, runs: list[Path]) -> None:
    before = runs[0].read_bytes()
    assert "The run a.run is named twice." in plain.run("pool", runs[0], runs[0], status=2).err
    assert "is one of the files that were read." in plain.run("pool", *runs, "--out", runs[0], status=2).err
    assert runs[0].read_bytes() == before


def test_what_was_written_is_said_beside_the_answer(plain: Plain, runs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "pairs.tsv"
    said = plain.run("pool", *runs, "--depth", 2, "-o", out, "--json")
    assert said.err == f"adjudge: 6 pairs are written to {out}.\n"
    assert plain.run("pool", *runs, "--depth", 2).err == ""


def test_the_help_shows_a_use_with_files_and_what_a_run_called_like_a_command_is_written(plain: Plain) -> None:
    said = " ".join(plain.run("pool", "--help").out.split())
    assert "A run that is called like one of them, look for instance, is written ./look." in said
    assert "--out pairs.tsv --qrels judged.qrels --gain linear" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--depth", "1_0"), "--depth takes a number, and '1_0' is none: write its digits without underscores"),
        (("--seconds", "2_5.5"), "--seconds takes a number"),
        (("--depth", 10**10), "less than or equal to"),
        (("--seconds", "1e15", "--rate", "1e15"), "The price goes beyond 1,000,000,000,000,000"),
    ],
)
def test_numbers_that_are_none_or_beyond_all_use_are_refused_in_words(
    plain: Plain, runs: list[Path], more: tuple[object, ...], said: str
) -> None:
    err = plain.run("pool", "runs", *runs, *more, status=2).err
    assert said in " ".join(err.replace("│", "").split())
