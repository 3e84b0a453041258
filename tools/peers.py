"""Makes var/peers: an environment with the other programs that score runs, which ours are compared with.

`python tools/peers.py`, by whoever wants them: `make peers` and `make benchmark` do. It takes 700 MB and a minute or
more, so no other install makes it.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "peers.txt"
VENV = ROOT / "var" / "peers"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / ".installed"


def main() -> None:
    fingerprint = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == fingerprint:
        return
    print("Installing requirements/peers.txt into var/peers ...", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    exact = ["--require-hashes", "--only-binary", ":all:", "--requirement", str(LOCK)]
    subprocess.run([PYTHON, "-m", "pip", "install", *quiet, *exact], check=True)
    STAMP.write_text(fingerprint)


if __name__ == "__main__":
    main()
