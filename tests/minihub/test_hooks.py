"""Webhooks as a receiver and as an App sees them, and what goes wrong on the way."""

from __future__ import annotations

import hashlib
import hmac
import json

import pytest

from bot.minihub import keys
from bot.minihub.events import headers
from bot.minihub.faults import Fault
from bot.minihub.minihub import AppKey, Minihub
from tests.minihub.hubs import Listener, as_installation, rest
from tests.minihub.test_apps import signed

SECRET = "It's a Secret to Everybody"


@pytest.fixture
def listener() -> Listener:
    with Listener() as one:
        yield one


@pytest.fixture
def heard(hub: Minihub, lib: str, listener: Listener) -> Minihub:
    hub.install(hub.app(hook_url=listener.url, hook_secret=SECRET), "ada")
    hub.wait()
    listener.heard.clear()
    return hub


def test_a_delivery_is_signed_over_its_bytes(heard: Minihub, lib: str, listener: Listener) -> None:
    heard.person("eve").open_issue(lib, "Wrong \N{CROCODILE}")
    heard.wait()
    told, body = listener.heard[0]

    right = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert told["X-Hub-Signature-256"] == f"sha256={right}"
    assert (told["X-GitHub-Event"], told["User-Agent"]) == ("issues", "GitHub-Hookshot/minihub")
    assert json.loads(body)["issue"]["title"] == "Wrong \N{CROCODILE}"
    assert json.loads(body)["installation"].keys() == {"id", "node_id"}


def test_the_signature_is_githubs_published_one(heard: Minihub) -> None:
    app = next(iter(heard.hub.store.apps.values()))

    assert headers(app, "ping", "guid", b"Hello, World!")["X-Hub-Signature-256"] == (
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    )


def test_the_list_tells_what_failed_and_it_is_sent_again(
    heard: Minihub, lib: str, listener: Listener
) -> None:
    app = next(iter(heard.hub.store.apps.values()))
    key = signed(_key(heard))
    listener.status = 500
    heard.person("eve").open_issue(lib, "Wrong")
    heard.wait()
    failed = rest(heard, "GET", "/app/hook/deliveries?per_page=1", key).json()[0]
    listener.status = 202
    again = rest(heard, "POST", f"/app/hook/deliveries/{failed['id']}/attempts", key)
    heard.wait()
    newest = rest(heard, "GET", "/app/hook/deliveries", key).json()[0]
    whole = rest(heard, "GET", f"/app/hook/deliveries/{newest['id']}", key).json()

    assert (failed["status_code"], again.status_code, newest["status"]) == (500, 202, "OK")
    assert (newest["guid"], newest["redelivery"]) == (failed["guid"], True)
    assert listener.heard[0][1] == listener.heard[1][1]
    assert whole["request"]["payload"]["action"] == "opened"
    assert whole["request"]["headers"]["X-GitHub-Delivery"] == failed["guid"]
    assert app.hook_url == listener.url


def _key(hub: Minihub) -> AppKey:
    return AppKey(next(iter(hub.hub.store.apps.values())), keys.private_key(1))


def test_the_list_is_read_by_cursor(heard: Minihub, lib: str) -> None:
    for place in range(3):
        heard.person("eve").open_issue(lib, f"number {place}")
    heard.wait()
    key, seen, url = signed(_key(heard)), [], "/app/hook/deliveries?per_page=2"
    while url:
        answer = rest(heard, "GET", url, key)
        seen += [each["event"] for each in answer.json()]
        url = answer.links.get("next", {}).get("url", "")

    assert seen == ["issues", "issues", "issues", "installation"]


def test_the_hooks_address_is_read_and_changed(heard: Minihub, listener: Listener) -> None:
    key = signed(_key(heard))
    before = rest(heard, "GET", "/app/hook/config", key).json()
    after = rest(heard, "PATCH", "/app/hook/config", key, json={"url": "http://127.0.0.1:9/"})

    assert (before["url"], before["secret"]) == (listener.url, "********")
    assert after.json()["url"] == "http://127.0.0.1:9/"


def test_nobody_listening_is_a_failed_delivery(hub: Minihub, lib: str) -> None:
    app = hub.app(hook_url="http://127.0.0.1:9/webhook")
    hub.install(app, "ada")
    hub.wait()

    assert [(each.status_code, each.status) for each in hub.deliveries(app)] == [
        (502, "failed to connect to host")
    ]


FAULTS = {
    "duplicate": ("duplicate", ["one", "one", "two", "three"]),
    "hold": ("hold", ["two", "one", "three"]),
    "drop": ("drop", ["two", "three"]),
}


@pytest.mark.parametrize(("kind", "order"), FAULTS.values(), ids=FAULTS)
def test_deliveries_go_wrong_as_planned(
    heard: Minihub, lib: str, listener: Listener, kind: str, order: list[str]
) -> None:
    heard.plan(Fault(match="DELIVER issues.opened", kind=kind))
    for title in ("one", "two", "three"):
        heard.person("eve").open_issue(lib, title)
    heard.wait()

    assert [json.loads(body)["issue"]["title"] for _, body in listener.heard] == order


def test_what_is_held_goes_last_when_nothing_follows(
    heard: Minihub, lib: str, listener: Listener
) -> None:
    heard.plan(Fault(match="DELIVER *", kind="hold", copies=9))
    heard.person("eve").open_issue(lib, "one")
    heard.wait()

    assert listener.names == ["issues"]


def test_an_app_hears_only_what_it_asked_for_and_may(hub: Minihub, lib: str) -> None:
    deaf = hub.app("deaf", events=["issues", "check_run"], permissions={"checks": "read"})
    hub.install(deaf, "ada")
    hub.person("eve").open_issue(lib, "Wrong")

    assert [each.event for each in hub.hub.recorder.webhooks] == ["installation"]


def test_a_ping_and_a_pressed_button_are_told(heard: Minihub, lib: str, listener: Listener) -> None:
    app = _key(heard)
    repo = as_installation(heard, app, lib).get_repo(lib)
    run = repo.create_check_run("jam", heard.refs(lib)["refs/heads/main"])
    heard.ping(app)
    heard.person("ben").press(lib, run.id, "again")
    heard.wait()

    assert listener.names == ["check_run", "ping", "check_run"]
    last = json.loads(listener.heard[-1][1])
    assert (last["action"], last["requested_action"]) == (
        "requested_action",
        {"identifier": "again"},
    )
