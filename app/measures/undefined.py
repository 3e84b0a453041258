from dataclasses import dataclass
from typing import NoReturn


class MeasureError(ValueError):
    """What was asked can't be computed as asked: a sentence for the person who asked."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A number that does not exist for these counts, and why, in a phrase that ends a sentence.

    It has no truth value: `if kappa:` would take it for a number, so it raises.
    """

    reason: str

    def __bool__(self) -> NoReturn:
        raise TypeError(f"An undefined number is neither true nor false; ask isinstance(…, Undefined). {self.reason}")

    def __str__(self) -> str:
        return f"undefined: {self.reason}"
