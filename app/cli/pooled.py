"""What `adjudge pool RUN...` answers, every number in full."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.cli.files import sha256_of
from app.cli.numbers import number, reason
from app.cli.reading import names_of, read_judged, read_rankings
from app.cli.refusal import Json
from app.measures.conventions import Convention
from app.measures.leaving_out import LeftOutRun, leave_each_out
from app.measures.matching import Ranking
from app.measures.pooling import cost, depth_pool, overlap, pool_size, top, unique_contributions

Pairs = Mapping[str, Sequence[str]]
"""qid → documents."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run, and its first documents within the depth for each query."""

    path: Path
    name: str
    tag: str
    rankings: Mapping[str, Ranking]
    tops: Pairs


def read_runs(paths: Sequence[Path], encoding: str, depth: int) -> list[Run]:
    read = [read_rankings(path, encoding) for path in paths]
    names = names_of(paths, [tag for _, tag in read])
    return [
        Run(path, name, tag, rankings, {qid: top(ranking, depth) for qid, ranking in rankings.items()})
        for path, name, (rankings, tag) in zip(paths, names, read, strict=True)
    ]


def pool_of(runs: Sequence[Run], depth: int) -> Pairs:
    return depth_pool({run.name: run.tops for run in runs}, depth)


def describe(runs: Sequence[Run], pool: Pairs, depth: int) -> Json:
    """`overlap[i][j]` counts the pairs within the depth that runs i and j both hold, i's own where they are one."""
    tops = {run.name: run.tops for run in runs}
    unique, shared, size = unique_contributions(tops, depth), overlap(tops, depth).shared.tolist(), pool_size(pool)
    return {
        "convention": {"line": f"pool depth={depth} ties=docno", "depth": depth, "ties": "docno"},
        "queries": size.queries,
        "pairs": size.pairs,
        "pairs_per_query": {"fewest": size.fewest, "median": size.median, "most": size.most},
        "runs": [
            {
                "path": str(run.path),
                "name": run.name,
                "tag": run.tag,
                "sha256": sha256_of(run.path),
                "queries": len(run.rankings),
                "pairs": shared[at][at],
                "unique": unique[run.name],
            }
            for at, run in enumerate(runs)
        ],
        "overlap": shared,
    }


def price(pairs: int, labellers: int, seconds: float, rate: float) -> Json:
    return {
        "labellers": labellers,
        "seconds": seconds,
        "rate": rate,
        **asdict(cost(pairs, labellers, seconds, rate)),
    }


def left_out(runs: Sequence[Run], qrels: Path, depth: int, convention: Convention, encoding: str) -> Json:
    judged, repeated = read_judged(qrels, encoding, [convention])
    judgments = judged.qrels()
    found = leave_each_out({run.name: run.rankings for run in runs}, judgments, depth, convention)
    return {
        "convention": convention.line,
        "qrels": {"path": str(qrels), "sha256": sha256_of(qrels), "repeated": repeated},
        "runs": [left_out_of(one) for one in found],
    }


def left_out_of(one: LeftOutRun) -> Json:
    return {
        "name": one.run,
        "lost": one.lost,
        "value": number(one.value),
        "without": number(one.without),
        "change": number(one.change),
        "reason": reason(one.change),
        "rank": number(one.rank),
        "rank_without": number(one.rank_without),
        "is_flagged": one.is_flagged,
        "queries": one.queries,
        "emptied": one.emptied,
    }
