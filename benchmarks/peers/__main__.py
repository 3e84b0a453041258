"""What a grade costs here and at peers, in processor time of the server: `python -m benchmarks.peers --help`.

Opt-in: install them first with `python -m benchmarks.peers.install`. Each saves a grade and gets the next document, one
labeller at a time, on SQLite, as it is started by its own command. Rounds of all alternate in one run, and medians are
compared; nothing is, unless every grade is held as it was sent.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.desk.stage import DOCUMENTS, set_stage
from benchmarks.peers import doccano, label_studio
from benchmarks.peers.peer import Peer
from benchmarks.servers import cpu_seconds, machine

SERVING = {"Label Studio": label_studio.serving, "doccano": doccano.serving}
GOALS = {"Label Studio": 30, "doccano": 10}


def measure(name: str, peer: Peer, levels: list[int]) -> float:
    """Milliseconds of CPU for saving one of the levels and getting the next text."""
    cpu, started = cpu_seconds(peer.process), time.perf_counter()
    for level in levels:
        peer.save_and_next(level)
    seconds, cpu = time.perf_counter() - started, 1000 * (cpu_seconds(peer.process) - cpu) / len(levels)
    print(f"  {name:12} {len(levels) / seconds:7.1f} grades/s  {cpu:7.2f} ms CPU a grade", flush=True)
    return cpu


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.peers")
    options.add_argument(
        "--grades", type=int, default=60, help="of each peer in a round; the desk gives ten times as many"
    )
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--documents", type=Path, default=DOCUMENTS, help="JSON lines with id, title, text and url")
    chosen = options.parse_args()
    texts = [json.loads(line)["text"] for line in chosen.documents.read_text(encoding="utf-8").splitlines()]
    levels = random.Random(4)
    print(machine())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adjudge-peers-")))
        stage = stack.enter_context(set_stage("sqlite", chosen.documents, folder))
        peers: dict[str, Peer] = {}
        for name, serving in SERVING.items():
            (folder / name).mkdir()
            peers[name] = stack.enter_context(serving(folder / name))
            peers[name].prepare(texts[: chosen.grades * chosen.rounds + 10])
        sent: dict[str, list[int]] = {name: [] for name in peers}
        took: dict[str, list[float]] = {"Adjudge": [], **{name: [] for name in peers}}
        for _ in range(chosen.rounds):
            trial = stage.measure("desk", clients=1, grades=10 * chosen.grades)
            print(f"  {'Adjudge':12} {trial.per_second:7.1f} grades/s  {trial.cpu:7.2f} ms CPU a grade", flush=True)
            took["Adjudge"].append(trial.cpu)
            for name, peer in peers.items():
                given = [levels.randrange(4) for _ in range(chosen.grades)]
                took[name].append(measure(name, peer, given))
                sent[name] += given
        for name, peer in peers.items():
            if list(peer.kept()) != sent[name]:
                raise SystemExit(f"No ratios: {name} does not hold what was sent.")
    ours = statistics.median(took["Adjudge"])
    for name, goal in GOALS.items():
        theirs = statistics.median(took[name])
        print(
            f"=> {name}: {theirs:.1f} ms a grade, {theirs / ours:.1f} times ours ({ours:.2f} ms); the goal is {goal}."
        )


if __name__ == "__main__":
    main()
