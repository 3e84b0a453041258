"""`adjudge measure`: scores of runs against judgments, from plain files, without a database."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from app.cli.calls import Json, Refusal, tell
from app.cli.choices import (
    DiscountName,
    GainName,
    IdealName,
    MissingName,
    NoRelevantName,
    PresetName,
    Threshold,
    TiesName,
    UnjudgedName,
    choose,
)
from app.cli.files import AsCsv, Encoding, QrelsFile, RunFiles, faults_told, one_form, opened, print_csv, sha256_of
from app.cli.options import AsJson
from app.measures.conventions import Convention
from app.measures.naming import ask
from app.measures.undefined import MeasureError, Undefined

if TYPE_CHECKING:
    from app.measures.judged import Judged
    from app.measures.matching import Matched
    from app.measures.scores import RunScores
