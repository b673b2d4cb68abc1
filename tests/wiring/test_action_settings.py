from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.contract import SandboxKind
from bot.core.narrowing import Narrowing
from bot.errors import RequestError
from bot.wiring.action_settings import ActionSettings, FailOn, Run, read

JOB = {
    "GITHUB_EVENT_NAME": "issues",
    "GITHUB_EVENT_PATH": "/event.json",
    "GITHUB_REPOSITORY": "ada/lib",
    "GITHUB_RUN_ID": "77",
    "RUNNER_TEMP": "/temp",
    "GITHUB_WORKSPACE": "/work",
}


def test_a_job_with_nothing_said_works_by_the_contract() -> None:
    assert read({**JOB, "JAM_TOKEN": "ghs_x"}) == ActionSettings(
        event="issues",
        payload=Path("/event.json"),
        repository="ada/lib",
        repository_id=0,
        run=77,
        attempt=1,
        api_url="https://api.github.com",
        server_url="https://github.com",
        workspace=Path("/work"),
        folder=Path("/temp/jam"),
        output=None,
        summary=None,
        token="ghs_x",
        acts_as="github-actions[bot]",
        agent="",
        config="",
        sandbox=SandboxKind.AUTO,
        narrowing=Narrowing(),
        bots=frozenset(),
        what=Run.SESSION,
        fail_on=FailOn.ERROR,
        is_on_runner=False,
    )


def test_inputs_are_read() -> None:
    told = read(
        {
            **JOB,
            "JAM_ORACLE": "slow",
            "JAM_BUDGET_USD": "1.5",
            "JAM_BUDGET_MINUTES": "30",
            "JAM_TRUSTED_BOTS": "41898282, 7",
            "JAM_FAIL_ON": "unverified",
            "JAM_RUN": "flaky",
            "JAM_SANDBOX": "none",
        }
    )

    assert told.narrowing == Narrowing(oracle="slow", usd=1.5, seconds=1800)
    assert (told.bots, told.fail_on) == (frozenset({41898282, 7}), FailOn.UNVERIFIED)
    assert (told.what, told.sandbox) == (Run.FLAKY, SandboxKind.NONE)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "`jam action` runs in a job of a workflow: GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, "
             "GITHUB_REPOSITORY, GITHUB_RUN_ID not set"),
        ({**JOB, "GITHUB_RUN_ID": "x"}, "GITHUB_RUN_ID is 'x', and no number"),
        ({**JOB, "JAM_FAIL_ON": "red"},
         "the input fail-on is 'red': it takes never, error, failed, unverified"),
        ({**JOB, "JAM_BUDGET_USD": "-1"},
         "the input budget-usd is '-1': it takes a positive number"),
        ({**JOB, "JAM_BUDGET_MINUTES": "nan"},
         "the input budget-minutes is 'nan': it takes a positive number"),
        ({**JOB, "JAM_TRUSTED_BOTS": "dependabot"},
         "trusted-bots holds numbers of accounts, no names"),
    ],
    ids=["no job", "run", "fail-on", "negative", "not a number", "names"],
)  # fmt: skip
def test_a_mistake_is_told_by_the_name_of_the_input(environment: dict[str, str], said: str) -> None:
    with pytest.raises(RequestError) as refused:
        read(environment)

    assert str(refused.value) == said


def test_an_event_that_would_be_unsafe_is_refused() -> None:
    with pytest.raises(RequestError, match="does not run on 'pull_request_target'"):
        read({**JOB, "GITHUB_EVENT_NAME": "pull_request_target"})
