"""Starting a project: what a score will mean is asked before there is one."""

import math
from collections.abc import Sequence
from typing import get_args

from sqlalchemy.orm import Session

from app.errors import FieldError, RuleError
from app.measures.policies import SMALL_SET
from app.names import checked_name, checked_text
from app.people.models import Person
from app.projects.models import Gain, Member, PolicyName, Project
from app.projects.queries import lock_project
from app.record.keeping import begin_chain, record
from app.record.models import INSTALLATION
from app.record.sealing import seals_of

MOST_LEVELS, HIGHEST_GAIN = 10, 1_000_000
"""Only the proportions of gains matter, and sums of huge ones overflow."""


def start_project(
    session: Session,
    person: Person,
    *,
    name: str,
    gain: str,
    gain_reason: str,
    gain_table: Sequence[float] | None = None,
    policy: str = "standard",
    is_small_set: bool = False,
    primary_stands: bool = False,
) -> Project:
    """A new project with `person` as its first lead. FieldError names the field that can't be taken."""
    project = Project(
        name=project_s_name(name),
        gain=one_of(gain, "gain", get_args(Gain)),
        gain_table=checked_table(gain, gain_table),
        gain_reason=checked_reason(gain_reason),
        policy=one_of(policy, "policy", get_args(PolicyName)),
        is_small_set=is_small_set,
        primary_stands=primary_stands,
        created_by_id=person.id,
    )
    session.add(project)
    session.flush()
    lead = Member(project_id=project.id, person_id=person.id, name=person.name, role="lead")
    session.add(lead)
    begin_chain(session, project.id)
    record(session, INSTALLATION, "project started", project=project.id)
    started = {"member": lead.id, "gain": gain, **gate_of(project), "seals": seals_of(session, project, lead)}
    record(session, project.id, "project started", **started)
    return project


def gate_of(project: Project) -> dict[str, str | bool]:
    return {
        "policy": project.policy,
        "is_small_set": project.is_small_set,
        "primary_stands": project.primary_stands,
    }


def change_project(
    session: Session,
    project: Project,
    *,
    name: str | None = None,
    policy: str | None = None,
    is_small_set: bool | None = None,
    primary_stands: bool | None = None,
) -> None:
    """Renames the project, or moves its gate while nothing was measured against it. RuleError once it is frozen."""
    lock_project(session, project)  # The first round may start, and freeze it, meanwhile.
    name = project.name if name is None else project_s_name(name)
    policy = project.policy if policy is None else one_of(policy, "policy", get_args(PolicyName))
    is_small_set = project.is_small_set if is_small_set is None else is_small_set
    primary_stands = project.primary_stands if primary_stands is None else primary_stands
    wanted = {"policy": policy, "is_small_set": is_small_set, "primary_stands": primary_stands}
    is_moved = wanted != gate_of(project)
    if is_moved and project.policy_frozen_at is not None:
        raise RuleError(
            "The policy was frozen when the first grades were asked for or brought in.",
            "A gate that moves after the measuring would mean nothing: start another project for another gate.",
            condition="policy frozen",
        )
    is_renamed = name != project.name
    project.name, project.policy = name, policy
    project.is_small_set, project.primary_stands = is_small_set, primary_stands
    if is_moved or is_renamed:
        changed = {"is_renamed": is_renamed, **gate_of(project), "seals": seals_of(session, project)}
        record(session, project.id, "project changed", **changed)


def refuse_small_set(project: Project, what: str, queries: int) -> None:
    """RuleError where what is to be judged first, such as a pool of that many `queries`, is no small set, and the
    project's policy is for one.
    """
    if project.is_small_set and project.policy_frozen_at is None and queries >= SMALL_SET:
        raise RuleError(
            f"The project’s policy is for a small set, of fewer than {SMALL_SET} queries, and {what} has {queries:,}.",
            "Take the policy in full, in the project’s settings.",
            conditions=["small set"],
        )


def project_s_name(name: str) -> str:
    return checked_name(name, "name", longest=120, way_out="Give the project a name.")


def checked_reason(gain_reason: str) -> str:
    way_out = "Write in a sentence why this gain fits your users."
    return checked_text(gain_reason, "gain_reason", longest=2000, way_out=way_out)


def one_of(value: str, field: str, values: Sequence[str]) -> str:
    if value not in values:
        raise FieldError(field, f"Choose one of {', '.join(values)}.", "Nothing is chosen for you here.")
    return value


def checked_table(gain: str, table: Sequence[float] | None) -> list[float] | None:
    """Gains of level 0, 1, 2 …: finite, not negative, never falling as the level rises."""
    if gain != "table":
        return None
    if not table or len(table) < 2:
        raise FieldError("gain_table", "A gain table has a number for each level.", "Write them like 0, 1, 3, 7.")
    if any(not math.isfinite(each) or each < 0 for each in table):
        raise FieldError("gain_table", "A gain is a number that is not negative.", "Write them like 0, 1, 3, 7.")
    if len(table) > MOST_LEVELS or max(table) > HIGHEST_GAIN:
        raise FieldError(
            "gain_table",
            f"A gain table has at most {MOST_LEVELS} numbers, of at most {HIGHEST_GAIN:,}.",
            "Scale it down.",
        )
    if list(table) != sorted(table):
        raise FieldError("gain_table", "A higher level can't gain less than a lower one.", "Write the lowest first.")
    return [float(each) for each in table]
