"""``jam schema``: prints what ``bot.core.contract_file`` says."""

from __future__ import annotations

import json

from bot.cli import options

app = options.command("schema")


@app.command()
def schema() -> int:
    """Print the JSON schema of .github/jam.yml, for editors."""
    from bot.core import contract_file

    print(json.dumps(contract_file.schema(), indent=2))
    return 0
