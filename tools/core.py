"""Compiles the core of reading and matching runs, where the machine has a C compiler.

Each source stands beside the module that uses it and is compiled into a library named after the source's hash, so that
a library of an older source is never loaded. Without a compiler, or where it fails, the same work is done in Python:
docs/decisions/core.md.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app.compiled import library_of  # noqa: E402

SOURCES = (ROOT / "app" / "formats" / "_splitting.c", ROOT / "app" / "measures" / "_matching.c")
FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra")


def main() -> None:
    compiler = next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    for source in SOURCES:
        library = library_of(source)
        if not library.exists() and not (compiler and compile_core(compiler, source, library)):
            print(f"No compiled {source.stem.strip('_')}: Python does the work, several times slower.", file=sys.stderr)


def compile_core(compiler: str, source: Path, library: Path) -> bool:
    """Whether it could be compiled. Libraries of older sources go."""
    part = library.with_suffix(".part")
    done = subprocess.run([compiler, *FLAGS, "-o", part, source, "-lm"], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return False
    for old in source.parent.glob(f"{source.stem}.*.so"):
        old.unlink(missing_ok=True)
    part.replace(library)
    return True


if __name__ == "__main__":
    main()
