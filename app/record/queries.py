"""Selects over the acts of a chain."""

import json
from collections import defaultdict
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.record.models import Act, Verb


def moments_of(session: Session, chain_id: str, verb: Verb, fact: str) -> dict[str, list[datetime]]:
    """When such acts were done, oldest first, by what each says under `fact`."""
    acts = select(Act.facts, Act.at).where(Act.chain_id == chain_id, Act.verb == verb).order_by(Act.number)
    moments: dict[str, list[datetime]] = defaultdict(list)
    for facts, at in session.execute(acts):
        moments[json.loads(facts)[fact]].append(at)
    return dict(moments)
