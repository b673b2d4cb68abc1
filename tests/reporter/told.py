"""Runs a real command beside the real reporter, without a sandbox, and reads what it told."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.adapters.channel import Channel, Wishes
from bot.adapters.rig import REPORTER, Around, build
from bot.adapters.sandbox import NoJail
from bot.core.contract import Dialect, Gate
from bot.core.report import Reading, Report, Unreadable
from bot.oracles import PARSERS, Raw
from bot.ports import Limits, View

BINS = Path(sys.executable).parent
PATH = f"{BINS}:/usr/bin:/bin"
QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # half of pytest's start is looking for plugins
PYTEST = "python -m pytest -q -p no:cacheprovider"


def write(tree: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tree


def hear(
    tree: Path,
    command: str,
    *,
    dialect: Dialect = Dialect.PYTEST,
    env: Mapping[str, str] = QUICK,
    **wishes: Any,
) -> Reading:
    around = Around(path=PATH, interpreters=(), tree=tree, at=tree)
    with tempfile.TemporaryDirectory() as folder:
        rig = build((REPORTER,), around=around, folder=Path(folder, "rig"), is_jailed=False)
        asked = Wishes(dialect=dialect.value, root=str(tree), **wishes)
        with Channel.open(asked, within=Path(folder)) as channel:
            settings = {"PATH": PATH, "PYTHONDONTWRITEBYTECODE": "1", **env}
            view = rig.talking(channel.folder).laid_over(View(tree=tree, at=tree, env=settings))
            ran = NoJail().run(["sh", "-c", command], view=view, limits=Limits(timeout_s=50))
            recording = channel.close().to_bytes()
    return PARSERS[dialect](
        Raw(
            exit_code=ran.exit_code,
            output=ran.output,
            recording=recording,
            report_file=None,
            gate=Gate(run=command, report=dialect),
        )
    )


def marks(reading: Reading) -> dict[str, str]:
    """Short, so that it can be compared: each test's mark, or why there is none."""
    if isinstance(reading, Unreadable):
        return {"cut" if reading.cut else "unreadable": reading.reason}
    return {case.id.rpartition("::")[2]: case.mark.value for case in reading.cases}


def order(reading: Reading) -> list[str]:
    assert isinstance(reading, Report)
    return [case.id for case in reading.cases]
