"""Writes docs/conventions.md from the presets and the golden cases: `make conventions`."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from app.measures.presets import PRESETS
from tests.measures.golden import CASES, EXPRESSED, FILE, NOT_OURS, convention_of

PAGE = Path(__file__).resolve().parent.parent / "docs" / "conventions.md"
BUGS = FILE.with_name("reported_bugs.json")
HEAD = """\
# Conventions

<!-- Written by tools/conventions.py from the presets and tests/cases; `make conventions` writes it anew. -->

The same run and the same judgments give different numbers in different libraries, and each is right by its own choices.
Adjudge keeps these choices as one value and writes them as one line beside every number:

    nDCG@10 gain=exponential discount=log2 ideal=judged unjudged=zero ties=docno no-relevant=exclude missing=zero threshold=1

| choice | values | what it decides |
|---|---|---|
| gain | `exponential` 2^grade - 1, `linear` the grade, `table:0,1,3,7` | how much more a higher grade is worth; never a silent default |
| discount | `log2` 1/log2(rank + 1), `reciprocal` 1/rank, `geometric:p` p^(rank - 1) | how far down a reader looks |
| ideal | `judged` all that was judged, `returned` what the run gave | what a perfect list would have been; `returned` gives 1 to one hit and nothing else |
| unjudged | `zero`, `condensed` | whether documents without a judgment hold their rank or are dropped |
| ties | `docno` 64-bit scores, then the higher id by bytes; `docno32` the same on 32-bit scores; `position` the order of the file; `average`; `optimistic` | which of two documents with one score stands first |
| no-relevant | `exclude`, `zero` | a query whose ideal is 0: nothing relevant was judged for it or, for nDCG with `ideal=returned`, nothing relevant returned, so that `exclude` can raise the mean of a run that found nothing |
| missing | `zero`, `exclude` | a judged query that the run does not hold |
| threshold | a grade | from which grade on recall, precision, RR, AP, hit and bpref count a document |

Measures: nDCG, DCG, RBP (its p is the geometric discount's, as in `RBP(p=0.85)`), RBP-residual (what RBP could still gain
from all that was not judged, up to the table's last gain or the highest that was judged), recall, precision, AP, RR, hit,
bpref, judged. A grade below 0 is worth nothing. It counts as unjudged in bpref and, as a condensed list drops it, in any
measure with `unjudged=condensed`, judged@k included: so trec_eval takes it. Otherwise it is a judgment like any other, and
judged@k counts it, as ir_measures does. judged@k follows neither no-relevant nor missing: it is of what a run returned, so
that a query without a relevant judgment counts as any other, and one of which nothing was returned is left out.
"""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    sections = (HEAD, presets(), libraries(), not_ours(), bugs())
    return "\n".join(sections)


def presets() -> str:
    parts = [f"- **{preset.name}**: `{preset.convention.line}`\n\n  {preset.statement}" for preset in PRESETS.values()]
    return (
        "## Presets\n\nEach is tested against the program itself, or against what it answered.\n\n"
        + "\n".join(parts)
        + "\n"
    )


def libraries() -> str:
    """Every convention of every program that a case expresses in our words, with how many cases hold it."""
    made = json.loads(FILE.read_text(encoding="utf-8"))["versions"]
    held: dict[tuple[str, str], list[str]] = {}
    for name in EXPRESSED:
        case = CASES[name]
        if case["lib"] != "hand":
            _, choices = convention_of(case).line.split(" ", 1)
            held.setdefault((case["lib"], choices), []).append(case["measure"])
    rows = [
        (library, f"`{choices}`", ", ".join(f"`{measure}`" for measure in sorted(set(measures))), len(measures))
        for (library, choices), measures in sorted(held.items())
    ]
    versions = ", ".join(f"{library} {version}" for library, version in made.items())
    return (
        "## Which library uses which convention\n\n"
        f"As {sum(row[3] for row in rows)} golden cases found by running them ({versions}); in each, our number equals "
        "theirs within the tolerance of what they print.\n\n"
        + table(("library", "its convention, in our words", "measures tried", "cases"), rows)
    )


def not_ours() -> str:
    rows = [(name, CASES[name]["lib"], f"`{CASES[name]['measure']}`", reason) for name, reason in NOT_OURS.items()]
    return (
        "## What no convention of ours expresses\n\n"
        "`tests/measures/test_golden_conventions.py` has, for each, what is refused by name or what is done instead.\n\n"
        + table(("case", "library", "measure", "what it does that ours does not"), sorted(rows))
    )


def bugs() -> str:
    reported: list[dict[str, Any]] = json.loads(BUGS.read_text(encoding="utf-8"))
    rows = [(bug["id"], bug["source"], bug["rule"], bug["why"]) for bug in reported]
    return (
        "## Bugs reported to others\n\n"
        "Each is a test here, in `tests/measures/test_reported_bugs.py` or beside what it concerns.\n\n"
        + table(("case", "reported at", "what is asked", "why it matters"), rows)
    )


def table(heading: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    return "\n".join(_lines(heading, rows)) + "\n"


def _lines(heading: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    names = list(heading)
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |"


if __name__ == "__main__":
    main()
