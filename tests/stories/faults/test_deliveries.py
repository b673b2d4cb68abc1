"""Deliveries that come twice, late, out of order, or under another name; people who waver."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.minihub.faults import Fault
from bot.minihub.records import Delivery
from tests.stories.faults.ground import ONCE, ask, end_of, ground, held
from tests.stories.github.world import REPO, SECRET, World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
MANY = 50


def send(one: World, event: str, body: bytes, *, guid: str) -> int:
    """As GitHub does; the status of the answer."""
    signature = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers: Mapping[str, str] = {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": guid,
        "X-Hub-Signature-256": f"sha256={signature}",
    }
    line = http.client.HTTPConnection("127.0.0.1", one.port, timeout=20)
    try:
        line.request("POST", "/webhook", body, dict(headers))
        return line.getresponse().status
    finally:
        line.close()


def labelled(one: World) -> Delivery:
    return next(
        each
        for each in reversed(one.hub.deliveries(one.app))
        if (each.event, each.action) == ("issues", "labeled")
    )


def sessions(one: World) -> int:
    return sum(1 for _ in (one.home / "state" / "sessions").glob("*"))


def test_fifty_copies_at_once_and_after_the_end_are_one_session(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        number = ask(one)
        one.hub.wait()
        first = labelled(one)
        with ThreadPoolExecutor(16) as many:
            again = list(
                many.map(lambda _: send(one, "issues", first.body, guid=first.guid), range(MANY))
            )
        end_of(one, number)
        late = [send(one, "issues", first.body, guid=first.guid) for _ in range(3)]
        other_name = send(one, "issues", first.body, guid=str(uuid.uuid4()))
        one.until(lambda: "waiting" not in one.page("/queue").partition("Deliveries")[2])
        assert held(one, number) == ONCE
        count = sessions(one)

    assert set(again) | set(late) | {other_name} <= {200, 202}
    assert count == 1


def test_a_known_name_with_another_body_changes_nothing_that_is_under_way(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        number = ask(one)
        one.hub.wait()
        first = labelled(one)
        forged = json.loads(first.body)
        forged["issue"]["title"] = "Something else"
        status = send(one, "issues", json.dumps(forged).encode(), guid=first.guid)
        end_of(one, number)
        one.until(lambda: "waiting" not in one.page("/queue").partition("Deliveries")[2])
        assert held(one, number) == ONCE
        titles = [pull.thread.title for pull in map(one.pull, one.pulls())]

    assert status in (200, 202, 409)
    assert titles == ["fix: One is left (#1)"]


def test_out_of_order_and_doubled_it_is_the_same(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        one.hub.plan(
            Fault(match="DELIVER issues.opened", kind="hold", copies=2),
            Fault(match="DELIVER issues.labeled", kind="duplicate", copies=5),
            Fault(match="DELIVER issues.unlabeled", kind="drop"),
        )
        number = ask(one)
        end_of(one, number)
        assert held(one, number) == ONCE
        count = sessions(one)

    assert count == 1


def test_a_label_that_flaps_a_hundred_times_is_bounded(tmp_path: Path) -> None:
    with ground(tmp_path) as one:
        number = one.ada.open_issue(REPO, "One is left", "free(3, 2) is 0.")
        for _ in range(100):
            if "jam" not in one.thread(number).labels:
                one.ben.label(REPO, number, "jam")
            if "jam" in one.thread(number).labels:
                one.ben.unlabel(REPO, number, "jam")
        one.hub.wait(timeout_s=60)
        one.until(lambda: "waiting" not in one.page("/queue").partition("Deliveries")[2])
        one.ben.label(REPO, number, "jam")
        one.until(lambda: "queue" not in one.said(number) and "**jam is" not in one.said(number))
        comments = [each for each in one.thread(number).comments if each.by == "jam[bot]"]
        pulls, count = one.pulls(), sessions(one)

    assert len(comments) == 1
    assert len(pulls) <= 1
    assert count <= 3, "a thread has three attempts"


def test_two_that_answer_each_other_come_to_rest(tmp_path: Path) -> None:
    """jam ignores itself, and a bot that answers each of its words is nobody who may ask."""
    with ground(tmp_path) as one:
        other = one.hub.app("parrot", hook_secret="", permissions={"issues": "write"}, events=())
        one.hub.install(other, "ada")
        number = one.ada.open_issue(REPO, "One is left", "free(3, 2) is 0.")
        parrot = other.app.bot
        for _ in range(20):
            one.hub.person("eve").comment(REPO, number, f"@{parrot.login} said: /jam fix")
            one.hub.person("eve").comment(REPO, number, "/jam fix")
        one.until(lambda: "permission" in one.said(number))
        one.until(lambda: "waiting" not in one.page("/queue").partition("Deliveries")[2])
        comments = [each for each in one.thread(number).comments if each.by == "jam[bot]"]
        count = sessions(one)

    assert len(comments) == 1
    assert count == 0
