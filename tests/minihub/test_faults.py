"""Limits, ETags, and planned faults, as the real clients meet them."""

from __future__ import annotations

import time

import github
import pytest
import requests

from bot.errors import RequestError
from bot.minihub.faults import Fault, read_plan
from bot.minihub.minihub import AppKey, Minihub
from tests.minihub.hubs import as_person, rest

POST = "POST /repos/*/issues"


def post(hub: Minihub, lib: str, title: str = "x") -> requests.Response:
    return rest(hub, "POST", f"/repos/{lib}/issues", hub.person("ben").token, json={"title": title})


def test_every_answer_tells_what_is_left(hub: Minihub, lib: str) -> None:
    token = hub.person("ben").token
    first, second = (rest(hub, "GET", f"/repos/{lib}", token).headers for _ in range(2))
    told = rest(hub, "GET", "/rate_limit", token).json()["rate"]

    assert (first["X-RateLimit-Remaining"], second["X-RateLimit-Remaining"]) == ("4999", "4998")
    assert (told["remaining"], told["limit"], told["used"]) == (4998, 5000, 2)
    assert rest(hub, "GET", "/meta").headers["X-RateLimit-Limit"] == "60"


def test_the_hours_allowance_runs_out_for_one(hub: Minihub, lib: str) -> None:
    hub.hub.limits.exhaust(f"user {hub.person('ben').account.id}")
    refused = post(hub, lib)

    assert (refused.status_code, refused.headers["X-RateLimit-Remaining"]) == (403, "0")
    assert rest(hub, "GET", f"/repos/{lib}", hub.person("ada").token).status_code == 200


@pytest.mark.parametrize("wait", ["60", None], ids=["with a time", "without"])
def test_too_much_content_meets_the_secondary_limit(
    hub: Minihub, lib: str, wait: str | None
) -> None:
    hub.hub.limits.creations_per_minute = 2
    hub.hub.limits.retry_after = int(wait) if wait else None
    answers = [post(hub, lib) for _ in range(3)]

    assert [each.status_code for each in answers] == [201, 201, 403]
    assert "secondary rate limit" in answers[-1].json()["message"]
    assert answers[-1].headers.get("Retry-After") == wait


def test_what_was_not_modified_is_told_so_and_free(hub: Minihub, lib: str) -> None:
    token, path = hub.person("ben").token, f"/repos/{lib}/issues"
    first = rest(hub, "GET", path, token)
    tag = {"If-None-Match": first.headers["ETag"]}
    same = rest(hub, "GET", path, token, headers=tag)
    left = rest(hub, "GET", path, token, headers=tag).headers["X-RateLimit-Remaining"]
    hub.person("ada").open_issue(lib, "New")
    changed = rest(hub, "GET", path, token, headers=tag)

    assert (same.status_code, same.content, changed.status_code) == (304, b"", 200)
    assert left == first.headers["X-RateLimit-Remaining"]


STATUSES = {
    "500": Fault(match=POST, kind="status", status=500),
    "429": Fault(match=POST, kind="status", status=429, headers={"Retry-After": "7"}),
    "409 after the effect": Fault(match=POST, kind="status", status=409, when="after"),
    "a page": Fault(match=POST, kind="html"),
    "202": Fault(match=POST, kind="accepted"),
    "moved": Fault(match=POST, kind="redirect", status=307, location="http://127.0.0.1:9/"),
    "half a document": Fault(match=POST, kind="truncated"),
}


@pytest.mark.parametrize(
    ("fault", "status", "made"),
    [
        (STATUSES["500"], 500, False),
        (STATUSES["429"], 429, False),
        (STATUSES["409 after the effect"], 409, True),
        (STATUSES["a page"], 200, False),
        (STATUSES["202"], 202, False),
        (STATUSES["moved"], 307, False),
        (STATUSES["half a document"], 201, True),
    ],
    ids=STATUSES,
)
def test_a_planned_answer_is_given_once(
    hub: Minihub, lib: str, fault: Fault, status: int, made: bool
) -> None:
    hub.plan(fault)
    answer = post(hub, lib)
    there = list(hub.hub.store.repo(lib).issues)

    assert (answer.status_code, there) == (status, [1] if made else [])
    assert dict(fault.headers).items() <= answer.headers.items()
    assert post(hub, lib).status_code == 201
    assert hub.hub.faults.unused() == []


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("kind", ["timeout", "reset", "cut"])
def test_a_planned_end_of_the_connection(hub: Minihub, lib: str, kind: str, when: str) -> None:
    hub.plan(Fault(match=POST, kind=kind, when=when, seconds=0.05))
    made = when == "after" or kind == "cut"

    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        post(hub, lib)
    assert list(hub.hub.store.repo(lib).issues) == ([1] if made else [])
    assert post(hub, lib).status_code == 201


def test_a_slow_answer_is_slow_and_right(hub: Minihub, lib: str) -> None:
    hub.plan(Fault(match=POST, kind="slow", seconds=0.2))
    began = time.monotonic()

    assert post(hub, lib).status_code == 201
    assert time.monotonic() - began >= 0.2


def test_a_plan_is_read_and_strikes_the_nth_call_so_often(hub: Minihub, lib: str) -> None:
    hub.plan(
        """
        - {match: "POST /repos/*/issues", kind: status, status: 503, nth: 2, times: 2}
        - {match: "GET /repos/ada/lib", kind: status, status: 500, times: null}
        """
    )

    assert [post(hub, lib).status_code for _ in range(4)] == [201, 503, 503, 201]
    assert [rest(hub, "GET", f"/repos/{lib}").status_code for _ in range(3)] == [500] * 3


BAD_PLANS = {
    "no YAML": "{",
    "no list": "match: x",
    "no mapping": "- 7",
    "no kind": "- {match: x}",
    "no such kind": "- {match: x, kind: nothing}",
    "a delivery's kind": "- {match: x, kind: hold}",
    "a request's kind": "- {match: DELIVER x, kind: reset}",
    "no such time": "- {match: x, kind: reset, when: never}",
    "no such word": "- {match: x, kind: reset, often: 3}",
}


@pytest.mark.parametrize("text", BAD_PLANS.values(), ids=BAD_PLANS)
def test_a_plan_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(RequestError):
        read_plan(text)


def test_pygithubs_own_retry_makes_the_same_thing_twice(hub: Minihub, lib: str) -> None:
    """What jam has to guard against: the answer was lost, and the client asked again."""
    hub.plan(Fault(match=POST, kind="status", status=502, when="after"))
    retry = github.GithubRetry(total=1, backoff_factor=0)
    as_person(hub, "ben", retry=retry).get_repo(lib).create_issue("x")

    assert list(hub.hub.store.repo(lib).issues) == [1, 2]


def test_git_meets_faults_too(hub: Minihub, lib: str, app: AppKey) -> None:
    hub.plan(Fault(match="GET /ada/lib.git/info/refs", kind="status", status=503))
    url = f"{hub.url}/ada/lib.git/info/refs?service=git-upload-pack"

    assert [requests.get(url, timeout=20).status_code for _ in range(2)] == [503, 200]
