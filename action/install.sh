#!/usr/bin/env bash
# Puts jam into an environment of its own, every package by its hash. Where JAM_INSTALLED names a
# Python that has them already (an image of yours, say), nothing is installed.
set -euo pipefail

[ -n "${JAM_INSTALLED:-}" ] && exit 0
home="$RUNNER_TEMP/jam-venv"

fits() { "$1" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
for python in python3 python python3.14 python3.13 python3.12 python3.11; do
    command -v "$python" >/dev/null && fits "$python" && break
    python=""
done
if [ -z "$python" ]; then
    echo "jam needs Python 3.11 or newer: put actions/setup-python before it" >&2
    exit 2
fi
"$python" -I -m venv --clear "$home"
"$home/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-input \
    --require-hashes --no-deps --only-binary :all: --requirement "$JAM_SOURCE/action/requirements.lock"
