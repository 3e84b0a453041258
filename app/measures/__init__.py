"""Numbers from numbers: agreement, the gate, rankings, scores under a stated convention, pools.

Nothing in here knows a web page, a database or another part of the program. What can't be computed as asked raises
`MeasureError`; what has no value is `Undefined`, with its reason.
"""

from app.measures.undefined import MeasureError, Undefined

__all__ = ["MeasureError", "Undefined"]
