"""The build backend: installs a clone for use in place, and refuses to build a wheel.

Templates, static files and migrations stand beside the package, not in it; a wheel would leave them out and
fail on its first page. `pip install --editable .` is what `make run` and the Dockerfile use.
"""

from flit_core.buildapi import (
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "prepare_metadata_for_build_editable",
]


def build_wheel(*_args: object, **_options: object) -> str:
    raise SystemExit(
        "Adjudge runs from a clone, not from a wheel: its templates and migrations stand outside the package. "
        "Use `make run`, or `pip install --editable .` in a clone."
    )


def build_sdist(*_args: object, **_options: object) -> str:
    return build_wheel()
