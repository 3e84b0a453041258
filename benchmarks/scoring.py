"""Scores a large run with Adjudge and with its peers, one after the other, and says how many times faster.

`make benchmark`, or `python benchmarks/scoring.py [QUERIES] [DOCUMENTS] [TIMES]`. It writes what it saw into
docs/evidence/scoring.txt. No ratio is printed unless every peer ran and the answers agree. Seconds are of processor
time, whole processes with their imports, the best of the times: other work on the machine stretches a clock, not these.
"""

import datetime as dt
import json
import os
import platform
import random
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "var" / "benchmark"
LOG = ROOT / "docs" / "evidence" / "scoring.txt"
PYTHONS = {
    "adjudge": ROOT / ".venv" / "bin" / "python",
    "adjudge_numpy": ROOT / ".venv" / "bin" / "python",
    **dict.fromkeys(("pytrec_eval", "ir_measures", "ranx"), ROOT / "var" / "peers" / "bin" / "python"),
}
PEERS = ("pytrec_eval", "ir_measures", "ranx")
JUDGED = 72
FOUND = 20


@dataclass
class Seen:
    """Processor seconds and memory of one process; `total` is of all of it."""

    total: float
    read: float
    measure: float
    megabytes: float
    values: dict[str, float | None]


def main() -> None:
    given = sys.argv[1:]
    queries, documents, times = map(int, [*given, *("7000", "1000", "1")[len(given) :]])
    qrels, run = files(queries, documents)
    sizes = f"{run.stat().st_size / 1e6:.0f} MB; qrels of {qrels.stat().st_size / 1e6:.1f} MB"
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    lines = [
        f"benchmarks/scoring.py, {dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC; {machine}; best of {times}.",
        f"{queries:,} queries x {documents:,} documents, {sizes}; seconds are of processor time.",
        "",
        f"{'program':<15}{'total s':>9}{'read s':>9}{'measure s':>11}{'peak MB':>9}   means",
    ]
    seen = {}
    for name in PYTHONS:
        seen[name] = min((one_of(name, qrels, run) for _ in range(times)), key=lambda one: one.total)
        one = seen[name]
        means = ", ".join(f"{measure} {value}" for measure, value in one.values.items() if value is not None)
        lines.append(f"{name:<15}{one.total:>9.2f}{one.read:>9.2f}{one.measure:>11.3f}{one.megabytes:>9.0f}   {means}")
        print(lines[-1], flush=True)
    refuse_disagreement(seen)
    lines += ["", *ratios(seen)]
    LOG.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def files(queries: int, documents: int) -> tuple[Path, Path]:
    """A run without ties, and qrels of which it finds some; the same on every machine."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    qrels, run = FOLDER / f"{queries}x{documents}.qrels", FOLDER / f"{queries}x{documents}.run"
    if qrels.exists() and run.exists():
        return qrels, run
    rng = random.Random(1)
    with qrels.open("w", encoding="utf-8") as judged, run.open("w", encoding="utf-8") as ranked:
        for qid in range(1_000_000, 1_000_000 + queries):
            docnos = rng.sample(range(8_000_000), documents + JUDGED - FOUND)
            steps = sorted(rng.sample(range(1, 400_000), documents), reverse=True)
            ranked.writelines(
                f"{qid} Q0 D{docno} {rank} {step / 10_000:.4f} bm25\n"
                for rank, (docno, step) in enumerate(zip(docnos, steps, strict=False), start=1)
            )
            known = rng.sample(docnos[:documents], min(FOUND, documents)) + docnos[documents:]
            grades = [rng.choice((0, 0, 0, 1, 2, 3)) for _ in known[1:]]
            judged.writelines(f"{qid} 0 D{docno} {grade}\n" for docno, grade in zip(known, [1, *grades], strict=True))
    return qrels, run


def one_of(name: str, qrels: Path, run: Path) -> Seen:
    script = Path(__file__).with_name("contestants.py")
    process = subprocess.Popen(
        [PYTHONS[name], "-W", "ignore", script, name, qrels, run], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout
    with process.stdout as stream:
        answer = stream.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{name} failed: no ratio is printed.")
    told: dict[str, Any] = json.loads(answer.splitlines()[-1])
    return Seen(total=used.ru_utime + used.ru_stime, megabytes=peak(used), **told)


def peak(used: resource.struct_rusage) -> float:
    return used.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def refuse_disagreement(seen: dict[str, Seen]) -> None:
    ours = seen["adjudge"].values
    for name, one in seen.items():
        for measure, value in one.values.items():
            expected = ours[measure]
            assert expected is not None
            if value is not None and abs(value - expected) > 1e-9:
                sys.exit(f"{name} says {measure} {value}, adjudge {expected}: no ratio is printed.")


def ratios(seen: dict[str, Seen]) -> list[str]:
    ours, without = seen["adjudge"], seen["adjudge_numpy"]
    fastest = min(PEERS, key=lambda name: seen[name].total)
    measuring = min(PEERS, key=lambda name: seen[name].measure)
    leanest = min(PEERS, key=lambda name: seen[name].megabytes)
    return [
        f"File to scores: {seen[fastest].total / ours.total:.1f} times as fast as {fastest}, the fastest peer.",
        f"Measuring alone: {seen[measuring].measure / ours.measure:.1f} times as fast as {measuring}.",
        f"Memory: {ours.megabytes / seen[leanest].megabytes:.2f} of {leanest}, the leanest peer.",
        f"Without a compiled core: {without.total / seen[fastest].total:.2f} times the seconds of {fastest}.",
    ]


if __name__ == "__main__":
    main()
