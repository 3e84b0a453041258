"""Qrels and runs from plain files, whole, for the commands that look at several runs side by side."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.cli.files import opened, sha256_of
from app.formats.qrels import read_qrels
from app.formats.runs import read_rankings
from app.measures.matching import Ranking

Qrels = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Run:
    path: Path
    name: str
    tag: str
    sha256: str
    rankings: Mapping[str, Ranking]


def read_judgments(path: Path, encoding: str) -> Qrels:
    qrels: dict[str, dict[str, float]] = {}
    with opened(path) as stream:
        for judgment in read_qrels(stream, str(path), encoding=encoding):
            qrels.setdefault(judgment.qid, {})[judgment.docno] = judgment.grade
    return qrels


def read_all_runs(paths: Sequence[Path], encoding: str) -> list[Run]:
    runs = [read_run(path, encoding) for path in paths]
    names = names_of(paths, [run.tag for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def names_of(paths: Sequence[Path], tags: Sequence[str]) -> list[str]:
    """Each run's tag, or its path where several bear one tag."""
    bearers = Counter(tags)
    return [tag if bearers[tag] == 1 else str(path) for path, tag in zip(paths, tags, strict=True)]


def read_run(path: Path, encoding: str) -> Run:
    rankings: dict[str, Ranking] = {}
    tag = ""
    with opened(path) as stream:
        for ranking in read_rankings(stream, str(path), encoding=encoding):
            rankings[ranking.qid] = (ranking.docnos, ranking.scores)
            tag = ranking.tag
    return Run(path, tag, tag, sha256_of(path), rankings)
