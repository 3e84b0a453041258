"""Libraries compiled from C sources that stand beside the modules which use them; tools/core.py compiles them."""

import ctypes
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def library_of(source: Path) -> Path:
    """Where the library of this very source is: a change of the source leaves the old one unused."""
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    return source.with_name(f"{source.stem}.{digest}.so")


def load(source: Path, *functions: str) -> ctypes.CDLL | None:
    """With these functions, all of which return an int64; None where there is none, or it does not fit this machine."""
    try:
        library = ctypes.CDLL(str(library_of(source)))
    except OSError:
        return None
    for function in functions:
        getattr(library, function).restype = ctypes.c_int64
    return library


def places_of(*arrays: "NDArray[Any]") -> list[ctypes.c_void_p]:
    """Where the arrays' numbers stand, which stand side by side in each."""
    assert all(array.flags.c_contiguous for array in arrays)
    return [ctypes.c_void_p(array.ctypes.data) for array in arrays]
