"""One program scores one run, in a process of its own: `python contestants.py NAME QRELS RUN` prints a line of JSON.

`read` and `measure` are processor seconds; `values` are the means over the judged queries, all of which the run holds.
Where a program has no judged@10, that is null.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Values = dict[str, float | None]
Answer = tuple[float, float, Values]


def adjudge(qrels_file: str, run_file: str) -> Answer:
    sys.path.insert(0, str(ROOT))
    from app.cli.reading import read_judged, read_matched
    from app.measures.conventions import Convention
    from app.measures.scores import score

    ndcg = Convention(k=10, gain="linear", no_relevant="zero")
    asked = {"nDCG@10": ndcg, "recall@1000": ndcg.at("recall", 1000), "judged@10": ndcg.at("judged", 10)}
    began = time.process_time()
    judged = read_judged(Path(qrels_file), "utf-8", ())[0]
    matched, _ = read_matched(Path(run_file), "utf-8", judged, "docno")
    read = time.process_time()
    values: Values = {}
    for name, convention in asked.items():
        mean = score(matched, convention).mean
        assert isinstance(mean, float)
        values[name] = mean
    return read - began, time.process_time() - read, values


def adjudge_numpy(qrels_file: str, run_file: str) -> Answer:
    """As on a machine without a C compiler."""
    sys.path.insert(0, str(ROOT))
    from app.formats import splitting
    from app.measures import core

    splitting.CORE = core.CORE = None  # type: ignore[misc]
    return adjudge(qrels_file, run_file)


def pytrec_eval(qrels_file: str, run_file: str) -> Answer:
    import pytrec_eval as library

    began = time.process_time()
    with Path(qrels_file).open(encoding="utf-8") as stream:
        qrels = library.parse_qrel(stream)
    with Path(run_file).open(encoding="utf-8") as stream:
        run = library.parse_run(stream)
    read = time.process_time()
    found = library.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recall.1000"}).evaluate(run)
    means: Values = {
        ours: sum(values[theirs] for values in found.values()) / len(found)
        for ours, theirs in (("nDCG@10", "ndcg_cut_10"), ("recall@1000", "recall_1000"))
    }
    return read - began, time.process_time() - read, means | {"judged@10": None}


def ir_measures(qrels_file: str, run_file: str) -> Answer:
    import ir_measures as library

    began = time.process_time()
    qrels, run = list(library.read_trec_qrels(qrels_file)), list(library.read_trec_run(run_file))
    read = time.process_time()
    asked = {"nDCG@10": library.nDCG @ 10, "recall@1000": library.R @ 1000, "judged@10": library.Judged @ 10}
    found = library.calc_aggregate(list(asked.values()), qrels, run)
    return read - began, time.process_time() - read, {name: float(found[measure]) for name, measure in asked.items()}


def ranx(qrels_file: str, run_file: str) -> Answer:
    import ranx as library

    def read_both(qrels_file: str, run_file: str) -> tuple[Any, Any]:
        return library.Qrels.from_file(qrels_file, kind="trec"), library.Run.from_file(run_file, kind="trec")

    def evaluate(qrels: Any, run: Any) -> Any:
        return library.evaluate(qrels, run, ["ndcg@10", "recall@1000"])

    with tempfile.TemporaryDirectory() as folder:  # Once with a line each, so that its code is compiled.
        Path(f"{folder}/qrels").write_text("1 0 a 1\n", encoding="utf-8")
        Path(f"{folder}/run").write_text("1 Q0 a 1 1.5 t\n", encoding="utf-8")
        evaluate(*read_both(f"{folder}/qrels", f"{folder}/run"))
    began = time.process_time()
    qrels, run = read_both(qrels_file, run_file)
    read = time.process_time()
    found = evaluate(qrels, run)
    means: Values = {"nDCG@10": float(found["ndcg@10"]), "recall@1000": float(found["recall@1000"]), "judged@10": None}
    return read - began, time.process_time() - read, means


CONTESTANTS = {
    "adjudge": adjudge,
    "adjudge_numpy": adjudge_numpy,
    "pytrec_eval": pytrec_eval,
    "ir_measures": ir_measures,
    "ranx": ranx,
}

if __name__ == "__main__":
    read, measure, values = CONTESTANTS[sys.argv[1]](*sys.argv[2:])
    sys.stdout.write(json.dumps({"read": read, "measure": measure, "values": values}) + "\n")
