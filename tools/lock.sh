#!/bin/sh
# Writes requirements/*.txt from pyproject.toml: exact versions with hashes, and nothing about where they came from.
# Versions already locked stay; `make lock UPGRADE=1` takes the newest.
set -eu
cd "$(dirname "$0")/.."

if command -v uv >/dev/null 2>&1; then
    uv=uv
else
    python3 -m venv var/lock
    var/lock/bin/python -m pip install --quiet --require-hashes --requirement requirements/lock.txt
    uv=var/lock/bin/uv
fi

# Settings of this machine must not shape the files.
for name in $(env | sed -n 's/^\(UV_[A-Z_]*\|PIP_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done

compile() {
    # shellcheck disable=SC2086  # UPGRADE adds a flag or nothing.
    "$uv" pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-emit-index-annotation --no-annotate \
        --custom-compile-command "make lock" ${UPGRADE:+--upgrade} "$@"
}

compile pyproject.toml --group build --output-file requirements/run.txt
compile pyproject.toml --group build --group test --constraints requirements/run.txt --output-file requirements/test.txt
compile --group pyproject.toml:peers --output-file requirements/peers.txt
compile --group pyproject.toml:frontend --no-deps --output-file requirements/frontend.txt
compile --group pyproject.toml:lock --output-file requirements/lock.txt
compile --group pyproject.toml:mutation --output-file requirements/mutation.txt

if grep -nE '://|--(index|extra-index|find-links|trusted)' requirements/*.txt; then
    echo "A lock file names where packages come from; it must not." >&2
    exit 1
fi
