"""An act in plain words, for people: what was done, to whom or what, by whom."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.history.queries import (
    names_of_actors,
    names_of_members,
    names_of_pairs,
    names_of_people,
    names_of_queries,
)
from app.projects.models import Project
from app.record.models import Act
from app.words import plural

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """An act and its words."""

    act: Act
    by: str
    """The name under which the project knows who did it."""
    words: str
    facts: Facts


@dataclass(frozen=True)
class Names:
    """What ids in the facts are called."""

    members: Mapping[str, str]
    people: Mapping[str, str]
    pairs: Mapping[str, str]
    queries: Mapping[str, str]

    def member(self, facts: Facts) -> str:
        return self.members.get(str(facts["member"]), "somebody")

    def owner(self, facts: Facts) -> str:
        return self.people.get(str(facts["owner"]), "somebody")

    def labellers(self, facts: Facts) -> str:
        return ", ".join(sorted(self.members.get(each, "somebody") for each in facts["labellers"]))

    def pair(self, facts: Facts) -> str:
        return self.pairs.get(str(facts["pair"]), "a pair")

    def query(self, facts: Facts) -> str:
        return self.queries.get(str(facts["query"]), "a query")


def tell(session: Session, project: Project, acts: Sequence[Act]) -> list[Told]:
    facts = [json.loads(act.facts) for act in acts]
    pairs = names_of_pairs(session, project, (each["pair"] for each in facts if "pair" in each))
    queries = names_of_queries(session, project, (each["query"] for each in facts if "query" in each))
    names = Names(names_of_members(session, project), names_of_people(session, project), pairs, queries)
    actors = names_of_actors(session, project)
    return [
        Told(act, actors[act.who], WORDS[act.verb](each, names), each) for act, each in zip(acts, facts, strict=True)
    ]


def level_of(facts: Facts) -> str:
    return "unjudgeable" if facts["level"] is None else f"level {facts['level']}"


def gate_of(facts: Facts) -> str:
    return f"policy {facts['policy']}{', small set' if facts['is_small_set'] else ''}"


def file_of(facts: Facts) -> str:
    counts = facts["counts"]
    return (
        f"brought in {facts['kind']}: {counts['new']:,} new, {counts['changed']:,} changed, {counts['same']:,} the same"
    )


def showing_of(facts: Facts) -> str:
    fields = ", ".join(facts["fields"]) or "no fields"
    hosts = ", ".join(facts["hosts"]) or "nobody"
    return f"chose what the desk shows beside a document: {fields}; pictures of {hosts}"


def pool_of(facts: Facts) -> str:
    depth = f" to depth {facts['depth']}" if facts["depth"] else ""
    size = f"{plural(facts['pairs'], 'pair')} of {plural(facts['queries'], 'query', 'queries')}"
    return f"drew pool {facts['number']} from {facts['source']}{depth}: {size}"


def round_of(facts: Facts, names: Names) -> str:
    whom = "be claimed" if facts["is_claimed"] else names.labellers(facts)
    dealt = f"{plural(facts['queries'], 'query', 'queries')} to {whom}, seed {facts['seed']}"
    return f"opened round {facts['number']}, {facts['kind']}: {dealt}"


def release_of(facts: Facts) -> str:
    if facts["kind"] == "reference":
        return f"brought in release {facts['number']}, reference qrels"
    return f"froze release {facts['number']}, {'gated' if facts['is_gated'] else 'ungated'}"


WORDS: dict[str, Callable[[Facts, Names], str]] = {
    "project started": lambda facts, _: f"started the project, {gate_of(facts)}, gain {facts['gain']}",
    "project changed": lambda facts, _: (
        f"{'renamed the project' if facts['is_renamed'] else 'changed the gate'}: {gate_of(facts)}"
    ),
    "invitation made": lambda facts, _: f"made an invitation for a {facts['role']}",
    "invitation withdrawn": lambda _facts, _: "withdrew an invitation",
    "member joined": lambda facts, names: f"joined as {facts['role']}: {names.member(facts)}",
    "member renamed": lambda facts, names: f"renamed a member, now {names.member(facts)}",
    "member declared": lambda facts, names: (
        f"declared {names.member(facts)} a {'machine' if facts['is_machine'] else 'person'}"
    ),
    "member left": lambda facts, names: f"let {names.member(facts)} go, a {facts['role']}",
    "role changed": lambda facts, names: f"made {names.member(facts)} a {facts['role']}, who was a {facts['before']}",
    "token made": lambda facts, names: f"made a token to {facts['right']} for {names.owner(facts)}",
    "token revoked": lambda facts, names: f"revoked a token of {names.owner(facts)}",
    "gain chosen": lambda facts, _: f"chose what levels are worth, gain {facts['gain']}",
    "rubric drafted": lambda facts, _: f"wrote at rubric version {facts['number']}",
    "rubric published": lambda facts, _: f"published rubric version {facts['number']}, of family {facts['family']}",
    "file brought in": lambda facts, _: file_of(facts),
    "showing chosen": lambda facts, _: showing_of(facts),
    "pool drawn": lambda facts, _: pool_of(facts),
    "round opened": round_of,
    "round imported": lambda facts, names: (
        f"brought in {plural(facts['grades'], 'grade')} by {names.labellers(facts)} as round {facts['number']}"
    ),
    "round closed": lambda facts, _: f"closed round {facts['number']}",
    "round reopened": lambda facts, _: f"opened round {facts['number']} again",
    "round widened": lambda facts, _: (
        f"widened round {facts['number']} by {plural(facts['queries'], 'query', 'queries')}"
    ),
    "gold set": lambda facts, names: f"set {names.pair(facts)} as gold: level {facts['level']}",
    "gold withdrawn": lambda facts, names: f"withdrew {names.pair(facts)} from gold",
    "queries added": lambda facts, names: (
        f"gave {names.member(facts)} {plural(facts['queries'], 'query', 'queries')} that two judged before, in round"
        f" {facts['number']}"
    ),
    "question asked": lambda _facts, _: "asked about a pair",
    "ruling given": lambda _facts, _: "answered a question with a ruling",
    "query taken": lambda facts, names: (
        f"gave {names.query(facts)} of round {facts['number']} to {names.member(facts)}"
    ),
    "query returned": lambda facts, names: (
        f"gave back {plural(facts['pairs'], 'pair')} of {names.query(facts)} that {names.member(facts)} had left"
    ),
    "query passed on": lambda facts, names: (
        f"passed on what was left of {names.query(facts)} in round {facts['number']} to {names.member(facts)}"
    ),
    "checks dealt": lambda facts, names: (
        f"hid {plural(facts['pairs'], 'check')} among the pairs of {names.member(facts)} in round {facts['number']}"
    ),
    "checks dropped": lambda facts, names: (
        f"took back {plural(facts['pairs'], 'hidden check')} that {names.member(facts)} had not met in round"
        f" {facts['number']}"
    ),
    "grade given": lambda facts, names: f"graded {names.pair(facts)}: {level_of(facts)}",
    "pair graded blind": lambda facts, names: f"graded blind, to adjudicate: {names.pair(facts)}",
    "pair decided": lambda facts, names: f"decided {names.pair(facts)}",
    "decision undone": lambda facts, names: f"took the decision back on {names.pair(facts)}",
    "waiver signed": lambda facts, _: f"signed a waiver for release {facts['number']}",
    "release frozen": lambda facts, _: release_of(facts),
}
"""What a project's record can hold; the installation's is not told."""
