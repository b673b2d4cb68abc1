"""Deliveries that come twice, late, out of order, or under another name; people who waver."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.minihub.faults import Fault
from bot.minihub.records import Delivery
from tests.stories.faults.ground import ONCE, ask, end_of, ground, held
from tests.stories.github.world import SECRET, World

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
