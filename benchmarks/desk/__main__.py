"""The desk under load, beside the least that a grade can cost: `python -m benchmarks.desk --help`.

Both servers stand on one database. Trials of the two alternate, so that other work on the machine falls on both, and
medians are compared. Ratios are printed only where every acknowledged grade stands in the database as it was sent.
"""

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.desk.stage import COMMANDS, DOCUMENTS, Stage, Trial, set_stage
from benchmarks.servers import machine


def middle(trials: Sequence[Trial]) -> Trial:
    return Trial(*(statistics.median(figures) for figures in zip(*trials, strict=True)))


def tell(name: str, clients: int, trial: Trial) -> None:
    print(
        f"  {name:5} {clients:2} clients  {trial.per_second:7.0f} grades/s  {trial.cpu:6.2f} ms CPU a grade "
        f"(database {trial.database_cpu:5.2f})  wait {trial.median_wait:6.2f} ms, p95 {trial.p95_wait:6.2f}",
        flush=True,
    )


def compare(stage: Stage, *, clients: int, grades: int, rounds: int) -> None:
    trials: dict[str, list[Trial]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, done in trials.items():
            done.append(stage.measure(name, clients=clients, grades=grades))
            tell(name, clients, done[-1])
    desk, bare = middle(trials["desk"]), middle(trials["bare"])
    print(
        f"  => {clients} clients: {desk.per_second / bare.per_second:.2f} of the bare route's grades a second, "
        f"{desk.cpu / bare.cpu:.2f} times its CPU ({desk.cpu:.2f} and {bare.cpu:.2f} ms)"
        + (f", with the database's {(desk.cpu + desk.database_cpu) / (bare.cpu + bare.database_cpu):.2f}"
           if stage.database_process else ""),
        flush=True,
    )  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.desk")
    options.add_argument("--engines", nargs="+", choices=("sqlite", "postgresql"), default=["sqlite", "postgresql"])
    options.add_argument("--clients", nargs="+", type=int, default=[1, 8])
    options.add_argument("--grades", type=int, default=1000, help="in a trial")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--documents", type=Path, default=DOCUMENTS, help="JSON lines with id, title, text and url")
    chosen = options.parse_args()
    print(machine())
    for engine in chosen.engines:
        with tempfile.TemporaryDirectory(prefix="adjudge-bench-") as folder, \
                set_stage(engine, chosen.documents, Path(folder)) as stage:  # fmt: skip
            print(f"{engine}, {chosen.grades} grades a trial", flush=True)
            for clients in chosen.clients:
                compare(stage, clients=clients, grades=chosen.grades, rounds=chosen.rounds)


if __name__ == "__main__":
    main()
