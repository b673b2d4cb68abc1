#!/usr/bin/env bash
# Runs jam from the action's own checkout. -P: the working folder is the repository's, and nothing
# of it is imported.
set -euo pipefail

python="${JAM_INSTALLED:-$RUNNER_TEMP/jam-venv/bin/python}"
exec "$python" -P -c 'import os, sys
sys.path.insert(0, os.environ["JAM_SOURCE"])
from bot.cli import main
sys.exit(main(["action"]))'
