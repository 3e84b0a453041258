"""Writes what `make mutation` found into docs/mutation.md and docs/evidence/mutation.txt, and asks a reason for each
change that nothing noticed.

The reasons stand in the page's last table, which people write. A survivor without one ends this with 1.
"""

import ast
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MUTANTS = ROOT / "mutants" / "app" / "measures"
PAGE = ROOT / "docs" / "mutation.md"
LOG = ROOT / "docs" / "evidence" / "mutation.txt"
BEGIN, END = "<!-- tools/mutation.py writes from here -->\n", "<!-- to here -->\n"
OUTCOMES = {1: "noticed", 3: "noticed", -11: "noticed", 0: "survived", 5: "survived", 33: "survived", None: "not run"}
"""What mutmut's exit codes say: -11 is a crash of the compiled core, 33 a function that no test calls. All others are a
change that took too long; most would go on for ever.
"""


@dataclass(frozen=True)
class Change:
    """One change of one function. `was` and `became` are the lines that differ."""

    function: str
    outcome: str
    was: str
    became: str


def main() -> None:
    found = {path.name.removesuffix(".py.meta"): list(changes(path)) for path in sorted(MUTANTS.glob("*.py.meta"))}
    found = {module: made for module, made in found.items() if made}
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    reasons = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + table(found) + END + reasons, encoding="utf-8")
    LOG.write_text("\n".join(log(found)) + "\n", encoding="utf-8")
    without = [row for row in survivors(found) if row not in reasons]
    print(*without, sep="\n")
    sys.exit(1 if without else 0)


def changes(path: Path) -> Iterator[Change]:
    """What was tried in one module."""
    sources = functions(path.with_suffix(""))
    for name, code in json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"].items():
        _, _, key = name.rpartition(".")
        original, _, _ = key.rpartition("__mutmut_")
        was, became = differing(sources[f"{original}__mutmut_orig"], sources[key])
        yield Change(readable(path, original), OUTCOMES.get(code, "too long"), was, became)


def functions(path: Path) -> dict[str, list[str]]:
    """The lines of every function that mutmut made, by its name, without the line that names it."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    return {
        node.name: [line.replace(node.name, "") for line in lines[node.lineno - 1 : node.end_lineno]]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name
    }


def differing(original: list[str], changed: list[str]) -> tuple[str, str]:
    """The lines in which they differ, stripped: between what is alike at the start and what is alike at the end."""
    start = next((at for at, pair in enumerate(zip(original, changed, strict=False)) if len(set(pair)) > 1), 0)
    tails = zip(reversed(original[start:]), reversed(changed[start:]), strict=False)
    same = next((at for at, pair in enumerate(tails) if len(set(pair)) > 1), 0)
    was, became = (" ".join(line.strip() for line in side[start : len(side) - same]) for side in (original, changed))
    return was, became


def readable(path: Path, original: str) -> str:
    """`agreement.Doubles.of` for what mutmut calls xǁDoublesǁof."""
    module = path.name.removesuffix(".py.meta")
    return f"{module}.{original.removeprefix('x_').removeprefix('xǁ').replace('ǁ', '.')}"


def table(found: dict[str, list[Change]]) -> str:
    rows = [
        "| module | changes | noticed | took too long | not noticed | not run | score |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    rows += [row(f"`{module}`", made) for module, made in found.items()]
    rows.append(row("**all**", [change for made in found.values() for change in made]))
    return "\n".join(rows) + "\n"


def row(name: str, made: list[Change]) -> str:
    """A change that takes too long is noticed: the test does not pass."""
    count = Counter(change.outcome for change in made)
    run = len(made) - count["not run"]
    score = f"{100 * (count['noticed'] + count['too long']) / run:.1f}%" if run else "-"
    shown = (count[outcome] for outcome in ("noticed", "too long", "survived", "not run"))
    return f"| {name} | {len(made)} | {' | '.join(map(str, shown))} | {score} |"


def survivors(found: dict[str, list[Change]]) -> list[str]:
    """Each row's beginning as the table of reasons holds it."""
    survived = [change for made in found.values() for change in made if change.outcome == "survived"]
    return [f"| `{change.function}` | `{escaped(change.was)}` | `{escaped(change.became)}` |" for change in survived]


def escaped(line: str) -> str:
    return line.replace("|", "\\|")


def log(found: dict[str, list[Change]]) -> Iterator[str]:
    yield "# make mutation: each function's changes, and in full those that were not noticed or took too long"
    for made in found.values():
        for function in dict.fromkeys(change.function for change in made):
            own = [change for change in made if change.function == function]
            count = Counter(change.outcome for change in own)
            yield f"{function}: {', '.join(f'{times} {outcome}' for outcome, times in count.most_common())}"
            for change in own:
                if change.outcome in ("survived", "too long"):
                    yield from (f"    {change.outcome}", f"    - {change.was}", f"    + {change.became}")


if __name__ == "__main__":
    main()
