"""Makes .venv and fills it from the lock: `python3 tools/install.py run` or `... test`.

Needs nothing but Python's own library. Does nothing, in a tenth of a second, when nothing has changed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


def main() -> None:
    lock = sys.argv[1] if len(sys.argv) == 2 else ""
    if lock not in ("run", "test"):
        sys.exit("Usage: python3 tools/install.py run|test")
    if sys.version_info < (3, 11):  # noqa: UP036  # This script meets whatever Python a machine has.
        sys.exit("Adjudge needs Python 3.11 or newer. Name one by `make run PYTHON=python3.12`.")
    if not is_venv_usable():
        make_venv()
    if not is_installed(lock):
        install(lock)
    subprocess.run([sys.executable, ROOT / "tools" / "core.py"], check=True)


def is_venv_usable() -> bool:
    """Whether .venv runs, here: it may have been moved with its folder, or its Python may have gone."""
    if not PYTHON.exists():
        return False
    answer = subprocess.run(
        [PYTHON, "-c", "import pip, sys; print(sys.prefix)"], capture_output=True, text=True, check=False
    )
    return answer.returncode == 0 and Path(answer.stdout.strip()) == VENV


def make_venv() -> None:
    say("Making .venv ...")
    if not can_make_venv():
        install_debian_venv()
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)


def can_make_venv() -> bool:
    """Whether the interpreter has the parts that Debian keeps in a package of their own."""
    parts = subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True, check=False)
    return parts.returncode == 0


def install_debian_venv() -> None:
    install = "apt-get install --yes --no-install-recommends python3-venv"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"This Python cannot make virtual environments. On Debian and Ubuntu, type: sudo {install}")
    say("Installing python3-venv, which this Python lacks ...")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "--quiet"], check=True, env=environment)
    subprocess.run(install.split(), check=True, env=environment)


def is_installed(lock: str) -> bool:
    """Whether .venv already holds what the lock says; the test lock holds all of the run lock."""
    return any(stamp(held).exists() and stamp(held).read_text() == fingerprint(held) for held in {lock, "test"})


def install(lock: str) -> None:
    say(f"Installing requirements/{lock}.txt into .venv ...")
    for held in ("run", "test"):
        stamp(held).unlink(missing_ok=True)
    requirements = ROOT / "requirements" / f"{lock}.txt"
    if not install_with_uv(requirements):
        pip("install", "--require-hashes", "--only-binary", ":all:", "--requirement", requirements)
    pip("install", "--no-deps", "--no-build-isolation", "--editable", ROOT)
    stamp(lock).write_text(fingerprint(lock))


def install_with_uv(requirements: Path) -> bool:
    """Try uv, several times faster but deaf to pip's settings: where it finds no registry, pip is asked."""
    if not shutil.which("uv"):
        return False
    command = ["uv", "pip", "install", "--quiet", "--python", str(PYTHON), "--require-hashes", "--no-build"]
    return subprocess.run([*command, "--requirement", str(requirements)], check=False, cwd=ROOT).returncode == 0


def pip(*arguments: str | Path) -> None:
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    subprocess.run([PYTHON, "-m", "pip", *quiet, *arguments], check=True, cwd=ROOT)


def stamp(lock: str) -> Path:
    return VENV / f".installed-{lock}"


def fingerprint(lock: str) -> str:
    """What an install depends on: the lock, and of pyproject.toml what concerns the package."""
    import tomllib  # Older Pythons lack it, and must come as far as the sentence about their age.

    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    concerned = repr([pyproject["build-system"], pyproject["project"]]).encode()
    return hashlib.sha256(concerned + (ROOT / "requirements" / f"{lock}.txt").read_bytes()).hexdigest()


def say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"`{' '.join(map(str, error.cmd))}` failed; its reason stands above.")
