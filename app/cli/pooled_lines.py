"""What `adjudge pool RUN...` says to a person, the convention first."""

from collections.abc import Iterator

from app.cli.numbers import three
from app.cli.refusal import Json
from app.measures.figures import percent
from app.words import plural


def say(answer: Json) -> Iterator[str]:
    each = answer["pairs_per_query"]
    yield answer["convention"]["line"]
    yield (
        f"{plural(answer['pairs'], 'pair')} for {plural(answer['queries'], 'query', 'queries')}: "
        f"{each['fewest']:,} to {each['most']:,} a query, median {each['median']:g}"
    )
    yield (
        f"{answer['hours']:,.2f} hours and {answer['money']:,.2f} for {plural(answer['labellers'], 'labeller')} at "
        f"{answer['seconds']:g} seconds a pair and {answer['rate']:g} an hour"
    )
    for at, run in enumerate(answer["runs"]):
        pairs = run["pairs"]
        shared = [
            f"{percent(answer['overlap'][at][other] / pairs)} with {one['name']}"
            for other, one in enumerate(answer["runs"])
            if other != at and pairs
        ]
        told = f"{plural(pairs, 'pair')}, {run['unique']:,} of them its own"
        yield f"  {run['name']}: {told}; shares {', '.join(shared) or 'none'}"
    if "left_out" in answer:
        yield from left_out_lines(answer["left_out"])


def left_out_lines(left: Json) -> Iterator[str]:
    again = left["qrels"]["repeated"]
    passed_over = f" ({plural(again, 'line')} that came again passed over)" if again else ""
    yield f"If a run had not been pooled, by {left['qrels']['path']}{passed_over}: {left['convention']}"
    for one in left["runs"]:
        flag = "; the judged set leans on it" if one["is_flagged"] else ""
        if one["change"] is None:
            yield f"  {one['name']}: undefined, {one['reason']}{flag}"
        else:
            yield (
                f"  {one['name']}: {three(one['value'])} to {three(one['without'])}, rank {one['rank']} to "
                f"{one['rank_without']}, over {plural(one['queries'], 'query', 'queries')}; "
                f"{plural(one['lost'], 'judgment')} fewer{emptied_said(one['emptied'])}{flag}"
            )


def emptied_said(emptied: int) -> str:
    if not emptied:
        return ""
    return f", {plural(emptied, 'query', 'queries')} without a relevant one then, counted as 0"
