"""
The names of the checks that GitHub will show for the jobs that run a suite. A job whose name
cannot be known without running it (an expression, an include) is left out: a wrong name is worse
than none.
"""

from __future__ import annotations

import itertools
import re

from bot.app.survey.suite import Suite
from bot.app.survey.tree import Tree
from bot.core import yaml_lines
from bot.core.yaml_lines import Value

MOST_CHECKS = 20
EXPRESSION = re.compile(r"\$\{\{\s*matrix\.([A-Za-z0-9_-]+)\s*\}\}")

# jam judges on Linux: what fails only elsewhere would not be red here.
ELSEWHERE = re.compile(r"windows|macos", re.I)


def of(suite: Suite, *, tree: Tree) -> tuple[str, ...]:
    workflows = [
        file for file in tree.files if re.fullmatch(r"\.github/workflows/[^/]+\.ya?ml", file)
    ]
    found: dict[str, None] = {}
    for workflow in workflows:
        jobs = _mapping(yaml_lines.read(tree.text(workflow)).value, "jobs")
        for key, job in jobs.items():
            if _runs(job, suite=suite):
                found |= dict.fromkeys(_names(key, job))
    return tuple(found)[:MOST_CHECKS]


def _mapping(value: Value, key: str) -> dict[str, Value]:
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _runs(job: Value, *, suite: Suite) -> bool:
    steps = job.get("steps") if isinstance(job, dict) else None
    listed = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    script = "\n".join(str(step.get("run", "")) for step in listed)
    return any(re.search(call, script) for call in suite.called_in_ci)


def _names(key: str, job: Value) -> list[str]:
    matrix = _mapping(_mapping({"job": job}, "job"), "strategy").get("matrix", {})
    name = job.get("name", key) if isinstance(job, dict) else key
    if not isinstance(matrix, dict) or not isinstance(name, str):
        return []
    axes = {axis: values for axis, values in matrix.items() if isinstance(values, list)}
    if len(axes) != len(matrix) or {"include", "exclude"} & axes.keys():
        return []
    rows = [dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values())]
    names = [_name(name, row) for row in rows]
    return [known for known in names if "${{" not in known and not ELSEWHERE.search(known)]


def _name(name: str, row: dict[str, Value]) -> str:
    """GitHub appends the values of the matrix unless the name already uses them."""
    if EXPRESSION.search(name):
        return EXPRESSION.sub(lambda found: _shown(row.get(found.group(1), "${{")), name)
    return f"{name} ({', '.join(map(_shown, row.values()))})" if row else name


def _shown(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
