"""Sees to it that browser tests find a Chromium: `python tools/chromium.py`, with the Python of .venv.

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
    if find_chromium() is None:
        install_chromium()


def find_chromium() -> str | None:
    for name in NAMES:
        if found := shutil.which(name):
            return found
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def install_chromium() -> None:
    install = "apt-get install --yes --no-install-recommends chromium"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(
            "The browser tests need Chromium. On Debian, type: sudo "
            f"{install}\nElsewhere: .venv/bin/playwright install chromium"
        )
    print("Installing Chromium ...", file=sys.stderr, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "--quiet"], check=True, env=environment)
    subprocess.run(install.split(), check=True, env=environment)


if __name__ == "__main__":
    main()
