"""The descriptions are there, and a wrong answer would be noticed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.minihub.minihub import Minihub
from bot.minihub.recorder import Exchange, Recorder, Sent
from bot.minihub.routes import ROUTES
from tests.minihub import descriptions


def test_every_route_is_one_of_githubs() -> None:
    assert descriptions.all_named(ROUTES) == {"POST /api/graphql"}


def test_the_lock_pins_what_is_read() -> None:
    here = Path(__file__).parent
    lock = json.loads((here / "package-lock.json").read_text())["packages"]
    asked = json.loads((here / "package.json").read_text())["devDependencies"]
    found = {
        name: json.loads((here / "node_modules" / name / "package.json").read_text())["version"]
        for name in asked
    }

    assert found == asked == {name: lock[f"node_modules/{name}"]["version"] for name in asked}


def test_absent_descriptions_fail_and_do_not_skip(tmp_path: Path) -> None:
    code = (
        "from tests.minihub import descriptions as d; from pathlib import Path; "
        f"d.PACKAGES = Path({str(tmp_path)!r}); d.rest()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (ran.returncode, "DescriptionsMissing: Run `npm ci`" in ran.stderr) == (1, True)


def _exchange(hub: Minihub, path: str, template: str) -> Exchange:
    hub.person("ada").call("GET", path)
    return next(each for each in hub.hub.recorder.exchanges if each.template == template)


BREAKS = {
    "a field is missing": lambda issue: issue.pop("labels_url"),
    "a field has another type": lambda issue: issue.update(number="1"),
    "a field is null that may not be": lambda issue: issue.update(title=None),
    "a nested field is missing": lambda issue: issue["user"].pop("login"),
    "a time is no time": lambda issue: issue.update(created_at="yesterday"),
}


@pytest.mark.parametrize("break_it", BREAKS.values(), ids=BREAKS)
def test_a_wrong_answer_is_noticed(hub: Minihub, lib: str, break_it: object) -> None:
    hub.person("ada").open_issue(lib, "Wrong")
    right = _exchange(hub, f"/repos/{lib}/issues/1", "/repos/{owner}/{repo}/issues/{issue_number}")
    document = json.loads(right.answer)
    break_it(document)
    recorder = Recorder()
    recorder.exchange(
        Exchange(
            method=right.method,
            template=right.template,
            path=right.path,
            body=b"",
            status=200,
            answer=json.dumps(document).encode(),
            media_type="application/json",
        )
    )

    assert len(descriptions.problems(recorder)) == 1


def test_a_wrong_webhook_is_noticed_by_both_sets_of_schemas(hub: Minihub, lib: str) -> None:
    hub.install(hub.app(), "ada")
    hub.person("ada").open_issue(lib, "Wrong")
    sent = hub.hub.recorder.webhooks[-1]
    document = json.loads(sent.body)
    del document["issue"]["number"]
    recorder = Recorder()
    recorder.sent(Sent(event="issues", action="opened", body=json.dumps(document).encode()))

    assert [problem.partition("]")[0] for problem in descriptions.problems(recorder)] == [
        "issues.opened [described",
        "issues.opened [older",
    ]


def test_an_undescribed_status_is_noticed(hub: Minihub) -> None:
    recorder = Recorder()
    recorder.exchange(
        Exchange(
            method="GET",
            template="/repos/{owner}/{repo}/issues",
            path="",
            body=b"",
            status=206,
            answer=b"[]",
            media_type="application/json",
        )
    )

    assert descriptions.problems(recorder) == [
        "GET /repos/{owner}/{repo}/issues 206: not described: "
        "'GET /repos/{owner}/{repo}/issues never answers 206'"
    ]
