"""
The action and the workflows that users copy, as GitHub reads them: what they may do, what they take
and give, and what two linters say of them. Without the linters this fails; it never skips.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core import workflow_event
from bot.wiring import acting, action_settings

ROOT = Path(__file__).parent.parent
ACTION = ROOT / "action.yml"
WORKFLOWS = sorted((ROOT / "workflows").glob("*.yml"))
NAMES = [path.name for path in WORKFLOWS]
PIN = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")
#: job -> what its token may do, and nothing else
PERMISSIONS = {
    ("fix.yml", "gate"): {},
    ("fix.yml", "jam"): {
        "contents": "write",
        "issues": "write",
        "pull-requests": "write",
        "checks": "write",
        "actions": "read",
    },
    ("verify.yml", "gate"): {},
    ("verify.yml", "verify"): {
        "contents": "read",
        "issues": "write",
        "pull-requests": "write",
        "checks": "write",
        "actions": "read",
    },
    ("flaky.yml", "flaky"): {
        "contents": "write",
        "issues": "write",
        "pull-requests": "write",
        "actions": "read",
    },
}


def read(path: Path) -> dict[str, Any]:
    """YAML takes a bare ``on`` for a truth."""
    found = yaml.load(path.read_text(), Loader=yaml.BaseLoader)
    assert isinstance(found, dict)
    return found


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in read(path)["jobs"].items():
            yield path.name, name, job


def steps(document: dict[str, Any]) -> list[dict[str, Any]]:
    listed = document.get("jobs", {"": document.get("runs", {})}).values()
    return [step for job in listed for step in job["steps"]]


def program(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.is_file() else shutil.which(name)
    assert found, f"{name} is not installed: `make setup` brings it"
    return found


def test_there_are_the_workflows_that_are_told_of() -> None:
    assert NAMES == ["fix.yml", "flaky.yml", "verify.yml"]


def test_actionlint_finds_nothing() -> None:
    told = subprocess.run(
        [program("actionlint"), *map(str, WORKFLOWS)], capture_output=True, text=True, check=False
    )

    assert (told.returncode, told.stdout + told.stderr) == (0, "")


def test_zizmor_finds_nothing() -> None:
    told = subprocess.run(
        [program("zizmor"), "--offline", "--no-progress", str(ACTION), *map(str, WORKFLOWS)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.name)
def test_no_script_holds_an_expression_and_every_action_is_pinned(path: Path) -> None:
    scripts = [step["run"] for step in steps(read(path)) if "run" in step]
    used = [step["uses"] for step in steps(read(path)) if "uses" in step]

    assert [script for script in scripts if "${{" in script] == []
    assert [action for action in used if not PIN.fullmatch(action)] == []


def test_jobs_may_do_what_they_must_and_wait_for_one_another() -> None:
    allowed = {(path, name): job["permissions"] for path, name, job in jobs()}
    work = [job for _, name, job in jobs() if name != "gate"]

    assert allowed == PERMISSIONS
    assert [read(path)["permissions"] for path in WORKFLOWS] == [{}, {}, {}]
    assert [job["concurrency"]["queue"] for job in work] == ["max"] * 3
    assert [job["concurrency"]["cancel-in-progress"] for job in work] == ["false"] * 3
    assert [job["cache-mode"] for job in work] == ["none"] * 3
    assert all(int(job["timeout-minutes"]) <= 120 for _, _, job in jobs())


def test_a_gate_has_no_code_and_no_secret() -> None:
    gates = [job for _, name, job in jobs() if name == "gate"]

    assert [step.get("uses") for gate in gates for step in gate["steps"]] == [None, None]
    assert not any("secrets." in str(gate) for gate in gates)


def test_forks_are_judged_without_a_secret() -> None:
    assert "secrets." not in (ROOT / "workflows" / "verify.yml").read_text()


def test_checkouts_keep_no_credentials() -> None:
    checkouts = [
        step
        for path in WORKFLOWS
        for step in steps(read(path))
        if step.get("uses", "").startswith("actions/checkout@")
    ]

    assert [step["with"]["persist-credentials"] for step in checkouts] == ["false"]


def test_workflows_start_on_events_that_jam_listens_to() -> None:
    events = {event for path in WORKFLOWS for event in read(path)["on"]}

    assert {event for event in events if workflow_event.unheard(event)} == set()


def test_every_input_reaches_jam_and_every_output_leaves_it(tmp_path: Path) -> None:
    action = read(ACTION)
    run = next(step for step in action["runs"]["steps"] if step.get("id") == "jam")
    given = {
        name: value.removeprefix("${{ inputs.").removesuffix(" }}")
        for name, value in run["env"].items()
        if "inputs." in value
    }
    source = Path(action_settings.__file__).read_text()
    output = tmp_path / "output"
    told = action_settings.read(
        {
            "GITHUB_EVENT_NAME": "issues",
            "GITHUB_EVENT_PATH": "/dev/null",
            "GITHUB_REPOSITORY": "ada/lib",
            "GITHUB_RUN_ID": "1",
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(tmp_path),
        }
    )
    acting.write(told, acting.Told(outcome="ignored", exit_code=0, summary=""))
    written = re.findall(r"^([a-z-]+)<<", output.read_text(), re.MULTILINE)

    assert sorted(given.values()) == sorted(action["inputs"])
    assert [name for name in given if name.startswith("JAM_") and f'"{name}"' not in source] == []
    assert sorted(written) == sorted(action["outputs"])
    assert {name: one["value"] for name, one in action["outputs"].items()} == {
        name: f"${{{{ steps.jam.outputs.{name} }}}}" for name in written
    }


def test_a_job_imports_only_what_the_action_installs() -> None:
    """The queue, the server and the pages are not in ``action/requirements.lock``."""
    script = "import sys, bot.wiring.acting; print(*sorted({n.split('.')[0] for n in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert set(done.stdout.split()) & {"dbos", "fastapi", "jinja2", "psycopg", "uvicorn"} == set()


def test_the_document_tells_of_every_input_and_output() -> None:
    text = (ROOT / "docs" / "action.md").read_text()
    action = read(ACTION)
    table = text.partition("## Inputs")[2].partition("## When")[0]
    told = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)

    assert told == list(action["inputs"])
    assert [name for name in action["outputs"] if f"`{name}`" not in text] == []
