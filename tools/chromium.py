"""Sees to it that browser tests find a Chromium and can drive it: `python tools/chromium.py`, with the Python of .venv.

On the PATH, else Playwright's own, else Debian's by apt when root; else it says what to type.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main() -> None:
    missing = [] if can_drive() else ["libatomic1"]  # Playwright's driver links against it; a bare Debian lacks it.
    missing += [] if find_chromium() else ["chromium"]
    if missing:
        install(missing)


def find_chromium() -> str | None:
    """The program to run, or None."""
    for name in NAMES:
        if found := shutil.which(name):
            return found
    if not can_drive():
        return None
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def can_drive() -> bool:
    driver = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, check=False)
    return driver.returncode == 0


def install(packages: list[str]) -> None:
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(
            f"The browser tests need {' and '.join(packages)}. On Debian, type: sudo {' '.join(command)}\n"
            "Elsewhere: .venv/bin/playwright install --with-deps chromium"
        )
    print(f"Installing {' and '.join(packages)} ...", file=sys.stderr, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update", "--quiet"], command):
        subprocess.run(step, check=True, env=environment, stdout=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"`{' '.join(error.cmd)}` failed; its reason stands above.")
