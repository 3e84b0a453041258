"""Runs every simulation, writes the tables into docs/validity.md and docs/decisions/intervals.md, the raw numbers into
docs/evidence/validity.txt, and the policies' curves into app/measures/policy_curves.py, for the pages that show them.

    python -m benchmarks.validity [--trials 2400] [--only FalseAlarms]

Ends with 1 where a promise of docs/validity.md is not kept.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from benchmarks.validity import coverage, curves, false_alarms, scales
from benchmarks.validity.coverage import Coverage
from benchmarks.validity.curves import Point
from benchmarks.validity.false_alarms import FalseAlarms
from benchmarks.validity.scales import Scales

ROOT = Path(__file__).resolve().parents[2]
PAGE, LOG = ROOT / "docs" / "validity.md", ROOT / "docs" / "evidence" / "validity.txt"
INTERVALS = ROOT / "docs" / "decisions" / "intervals.md"
CURVES = ROOT / "app" / "measures" / "policy_curves.py"
SEED = 20261130
Row = TypeVar("Row")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validity")
    parser.add_argument("--trials", type=int, default=2400, help="of each interval; the rest in proportion")
    parser.add_argument(
        "--only", choices=["Coverage", "Point", "FalseAlarms", "Scales"], help="the rest stays as it was logged"
    )
    asked = parser.parse_args()
    trials, only = asked.trials, asked.only
    began = time.perf_counter()
    covered = list(told(coverage.measure(trials, SEED))) if only in (None, "Coverage") else logged(Coverage)
    points = list(told(curves.measure(trials // 4, SEED))) if only in (None, "Point") else logged(Point)
    alarms = (
        list(told(false_alarms.measure(trials * 3, SEED))) if only in (None, "FalseAlarms") else logged(FalseAlarms)
    )
    scaled = list(told(scales.measure(trials * 5 // 8, SEED))) if only in (None, "Scales") else logged(Scales)
    write(covered, points, alarms, scaled, trials)
    print(f"{time.perf_counter() - began:.0f} s")
    broken = [*broken_by(covered, alarms, points)]
    for promise in broken:
        print(f"NOT KEPT: {promise}")
    sys.exit(1 if broken else 0)


def logged(kind: type[Row]) -> list[Row]:
    rows = [json.loads(line) for line in LOG.read_text("utf-8").splitlines() if line.startswith("{")]
    return [kind(**row) for row in rows if row.pop("table") == kind.__name__]


def told(rows: Iterator[Row]) -> Iterator[Row]:
    for row in rows:
        print(row, flush=True)
        yield row


def broken_by(covered: list[Coverage], alarms: list[FalseAlarms], points: list[Point]) -> Iterator[str]:
    (least, most), (fewest, greatest) = coverage.PROMISED, false_alarms.PROMISED
    yield from (f"coverage from .92 to .96: {each}" for each in covered if not least <= each.share <= most)
    yield from (
        f"bias of rotating couples under .01: {each}"
        for each in covered
        if "rotate" in each.team and each.queries == 30 and abs(each.bias) >= 0.01
    )
    yield from (
        f"false alarms from .045 to .055: {each}"
        for each in alarms
        if each.is_exchangeable and not fewest <= each.permutation <= greatest
    )
    for each in points:
        if (each.policy, each.spread) == ("standard", "alike"):
            if each.kappa == 0.51 and each.passed >= 0.10:
                yield f"a true kappa of .51 passes under 10%: {each}"
            if each.kappa == 0.59 and each.passed <= 0.90:
                yield f"a true kappa of .59 passes over 90%: {each}"


def write(
    covered: list[Coverage], points: list[Point], alarms: list[FalseAlarms], scaled: list[Scales], trials: int
) -> None:
    rows: list[Coverage | Point | FalseAlarms | Scales] = [*covered, *points, *alarms, *scaled]
    raw = [json.dumps({"table": type(row).__name__, **asdict(row)}) for row in rows]
    LOG.write_text("\n".join([f"# python -m benchmarks.validity --trials {trials}, seed {SEED}", *raw]) + "\n", "utf-8")
    put(PAGE, "coverage", coverage_table(covered))
    put(PAGE, "curves", curves_table(points))
    put(PAGE, "false-alarms", alarms_table(alarms))
    put(INTERVALS, "scales", scales_table(scaled))
    write_curves(points)


def put(page: Path, name: str, table: str) -> None:
    """In the place of the table that stands between the page's marks of that name."""
    marks = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = page.read_text("utf-8")
    page.write_text(
        re.sub(f"{marks[0]}.*?{marks[1]}", f"{marks[0]}\n{table}\n{marks[1]}", text, flags=re.DOTALL), "utf-8"
    )


def write_curves(points: list[Point]) -> None:
    marks = "# measured\n", "# end of measured"
    before, _, rest = CURVES.read_text("utf-8").partition(marks[0])
    after = rest.partition(marks[1])[2]
    lines = [curve_line(*key, list(curve)) for key, curve in groupby(points, lambda each: (each.policy, each.spread))]
    CURVES.write_text("".join([before, marks[0], *lines, marks[1], after]), "utf-8")


def curve_line(policy: str, spread: str, points: list[Point]) -> str:
    shares = ((each.kappa, each.passed, each.undecided, each.failed) for each in points)
    rows = [f"        CurvePoint({', '.join(f'{share:.4g}' for share in each)}),\n" for each in shares]
    return f'    PolicyCurve("{policy}", "{spread}", (\n{"".join(rows)}    )),\n'


def coverage_table(covered: list[Coverage]) -> str:
    rows = [
        "| who | queries | the queries are | true kappa | covered | by the formula | bias | no interval |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in covered:
        formula = "" if each.analytic is None else short(each.analytic)
        numbers = (
            f"{short(each.share)}{marked(is_again=each.is_again)} | {formula} | {each.bias:+.4f} | {each.undefined}"
        )
        rows.append(f"| {each.team} | {each.queries} | {each.spread} | {each.kappa:.1f} | {numbers} |")
    return "\n".join(rows)


def curves_table(points: list[Point]) -> str:
    rows = [
        "| policy | the queries are | true kappa | passed | not enough evidence | failed |",
        "|---|---|---|---|---|---|",
    ]
    for each in points:
        shares = " | ".join(f"{share:.0%}" for share in (each.passed, each.undecided, each.failed))
        rows.append(f"| {each.policy} | {each.spread} | {each.kappa:.2f} | {shares} |")
    return "\n".join(rows)


def alarms_table(alarms: list[FalseAlarms]) -> str:
    rows = [
        "| per-query differences | queries | permutation (headline) | t | percentile bootstrap | studentised |",
        "|---|---|---|---|---|---|",
    ]
    for each in alarms:
        headline, *beside = map(short, (each.permutation, each.t, each.percentile, each.studentised))
        shares = " | ".join([f"{headline}{marked(is_again=each.is_again)}", *beside])
        rows.append(f"| {each.changes} | {each.queries} | {shares} |")
    return "\n".join(rows)


def scales_table(scaled: list[Scales]) -> str:
    rows = ["| queries | true kappa | they are | plain | cube root | log | atanh |", "|---|---|---|---|---|---|---|"]
    for (queries, kappa, spread), pair in groupby(scaled, lambda each: (each.queries, each.kappa, each.spread)):
        teams = list(pair)
        names = ("plain", "cube_root", "log", "atanh")
        shares = [" and ".join(short(getattr(each, name)) for each in teams) for name in names]
        rows.append(f"| {queries} | {kappa:.1f} | {spread} | {' | '.join(shares)} |")
    return "\n".join(rows)


def marked(*, is_again: bool) -> str:
    return ", again" if is_again else ""


def short(share: float) -> str:
    return f"{share:.3f}".replace("0.", ".", 1)


if __name__ == "__main__":
    main()
