"""C cores: loaded only where they were made from the very source that stands beside them."""

import shutil
from pathlib import Path

import pytest

from app.compiled import library_of, load
from tools.core import SOURCES, compile_core


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_library_of_another_source_is_not_loaded(source: Path, tmp_path: Path) -> None:
    changed = tmp_path / source.name
    shutil.copy(source, changed)
    if library_of(source).exists():
        shutil.copy(library_of(source), tmp_path)
        assert load(changed) is not None
    changed.write_text("int other;", encoding="utf-8")
    assert load(changed) is None


def test_what_is_compiled_is_what_is_loaded_and_the_older_one_goes(tmp_path: Path) -> None:
    compiler = next(filter(shutil.which, ("cc", "gcc", "clang")), None)
    source = tmp_path / "_adding.c"
    for text in ("long add(long a) { return a + 1; }", "long add(long a) { return a + 2; }"):
        source.write_text(text, encoding="utf-8")
        if compiler is not None:  # A machine without a C compiler has nothing to load.
            assert compile_core(compiler, source, library_of(source))
            assert list(tmp_path.glob("*.so")) == [library_of(source)]
        assert (load(source, "add") is None) == (compiler is None)
