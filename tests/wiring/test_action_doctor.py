from __future__ import annotations

from pathlib import Path

from bot.wiring import action_doctor
from tests.minihub import hubs

REPO = "ada/lib"
CONTRACT = "version: 1\noracles:\n  unit: {gates: [{run: pytest}]}\n"


def test_what_would_keep_a_job_from_its_work_is_named(tmp_path: Path) -> None:
    with hubs.minihub(tmp_path / "hub") as hub:
        hub.person("ada")
        repo = hub.repository(REPO, {"README.md": "# lib\n"})
        token = hub.actions_token(REPO, {"contents": "read", "metadata": "read"})
        job = {
            "GITHUB_EVENT_NAME": "issues",
            "GITHUB_EVENT_PATH": "/dev/null",
            "GITHUB_REPOSITORY": REPO,
            "GITHUB_REPOSITORY_ID": str(repo.id),
            "GITHUB_RUN_ID": "7",
            "GITHUB_API_URL": hub.api_url,
        }
        without = [(one.what, one.good) for one in action_doctor.look(job)]
        early = {one.what: one for one in action_doctor.look({**job, "JAM_TOKEN": token})}
        hub.person("ada").push(REPO, "main", {".github/jam.yml": CONTRACT})
        later = {one.what: one for one in action_doctor.look({**job, "JAM_TOKEN": token})}
        refused = [
            one.told for one in action_doctor.look({**job, "GITHUB_EVENT_NAME": "check_run"})
        ]

    assert without == [("job", True), ("token", False)]
    assert {what: one.good for what, one in early.items()} == {
        "job": True,
        "token": True,
        "contract": False,
        "pull requests": None,
    }
    assert later["contract"].good is True
    assert later["contract"].told.endswith(": unit")
    assert "use `workflow_run`" in refused[0]
