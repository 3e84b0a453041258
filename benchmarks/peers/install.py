"""Puts each peer, as its package is published, into a virtual environment of its own under var/desk-peers.

About 1.4 GB: `python -m benchmarks.peers.install`.
"""

import subprocess
import sys
from pathlib import Path

PEERS = {"label-studio": ["label-studio ==1.23.2"], "doccano": ["doccano ==1.8.4", "marshmallow <4", "numpy <2"]}
"""doccano was published before marshmallow 4 and numpy 2, which its libraries do not know."""
FOLDER = Path(__file__).resolve().parent.parent.parent / "var" / "desk-peers"


def program(peer: str) -> Path:
    """The peer's command; SystemExit where it is not installed."""
    found = FOLDER / peer / "bin" / peer
    if not found.exists():
        raise SystemExit(f"{peer} is not installed: python -m benchmarks.peers.install")
    return found


def main() -> None:
    for peer, requirements in PEERS.items():
        folder = FOLDER / peer
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", *requirements], check=True)


if __name__ == "__main__":
    main()
