"""What the web door takes, what it refuses, and that a refusal leaves no trace."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.core.delivery import BODY_LIMIT
from tests.minihub.descriptions import PACKAGES, DescriptionsMissing
from tests.web.serving import SECRET, Running, door, signed

LABELED = json.dumps({"action": "labeled"}).encode()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with door(tmp_path_factory.mktemp("door")) as running:
        yield running


def examples() -> list[tuple[str, bytes]]:
    """Every payload that GitHub gives as an example."""
    file = PACKAGES / "webhooks-examples" / "api.github.com" / "index.json"
    if not file.is_file():
        raise DescriptionsMissing(f"{DescriptionsMissing.__doc__} ({file.name})")
    return [
        (one["name"], json.dumps(example).encode())
        for one in json.loads(file.read_bytes())
        for example in one["examples"]
    ]


@pytest.mark.slow
def test_every_example_of_githubs_is_taken_or_ignored_with_a_reason(served: Running) -> None:
    told = examples()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: served.deliver(*one), told))
    kept = {seen.id: seen for seen in served.inbox.latest(limit=10_000)}
    heard = [answer.document for answer in answers]
    ignored = [one for one in heard if one["state"] == "ignored"]

    assert len(told) > 200
    assert {answer.status for answer in answers} == {202}
    assert {one["state"] for one in heard} >= {"accepted", "ignored"}
    assert [one for one in ignored if not one["why"]] == []
    assert all(kept[one["delivery"]].why == one["why"] for one in ignored)
    assert [one for one in heard if one["state"] != "known" and one["delivery"] not in kept] == []


BAD = {
    "none": {},
    "sha-1 only": {"X-Hub-Signature": "sha1=" + "0" * 40},
    "of another secret": signed("issues", LABELED, secret="guessed"),
    "of another body": signed("issues", b"{}"),
    "not hex": {"X-Hub-Signature-256": "sha256=" + "z" * 64},
    "of an empty secret": signed("issues", LABELED, secret=""),
}


@pytest.mark.parametrize("headers", BAD.values(), ids=BAD)
def test_whatever_is_not_signed_by_github_is_refused(
    served: Running, headers: dict[str, str]
) -> None:
    before = served.rows
    named = {
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": "11111111-0000-4000-8000-000000000000",
    }
    answer = served.call("POST", "/webhook", LABELED, named | headers)

    assert (answer.status, served.rows) == (401, before)


UNREADABLE = {
    "invalid UTF-8": b'{"action": "\xff\xfe"}',
    "no JSON": b"action=labeled",
    "cut JSON": b'{"action": "labeled"',
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "a list": b"[]",
    "not a number": b'{"action": NaN}',
    "empty": b"",
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_refused_though_it_is_signed(served: Running, body: bytes) -> None:
    before = served.rows
    answer = served.deliver("issues", body)

    assert (answer.status, served.rows) == (400, before)


@pytest.mark.parametrize("name", ["x", "../../etc/passwd", "a b c d e f g h", "é" * 12])
def test_a_delivery_without_a_proper_name_is_refused(served: Running, name: str) -> None:
    headers = signed("issues", LABELED) | {"X-GitHub-Delivery": name.encode().decode("latin-1")}
    before = served.rows

    assert served.call("POST", "/webhook", LABELED, headers).status == 400
    assert served.rows == before


def test_thirty_megabytes_are_refused_before_they_are_read(served: Running) -> None:
    before = served.rows
    head = (
        b"POST /webhook HTTP/1.1\r\nHost: jam\r\nX-GitHub-Event: issues\r\n"
        b"Content-Length: 31457280\r\n\r\n"
    )
    began = time.monotonic()
    with served.raw(head) as line:
        answer = line.recv(4096)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert time.monotonic() - began < 2
    assert served.rows == before


def test_a_length_that_lies_is_cut_off(served: Running) -> None:
    before = served.rows
    part = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    head = b"POST /webhook HTTP/1.1\r\nHost: jam\r\nTransfer-Encoding: chunked\r\n\r\n"
    with served.raw(head) as line:
        try:
            for _ in range(BODY_LIMIT // 0x10000 + 64):
                line.sendall(part)
        except OSError:
            pass  # it has hung up, as it should
        line.settimeout(5)
        try:
            answer = line.recv(4096)
        except OSError:
            answer = b"HTTP/1.1 413 "  # the answer was lost with the connection

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert served.rows == before


def test_a_slow_body_is_given_up(tmp_path: Path) -> None:
    head = b"POST /webhook HTTP/1.1\r\nHost: jam\r\nContent-Length: 100\r\n\r\n{"
    with door(tmp_path, read_s=0.3) as served:
        began = time.monotonic()
        with served.raw(head) as line:
            answer = line.recv(4096)
        took, rows = time.monotonic() - began, served.rows

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert took < 5
    assert rows == 0


def test_the_same_delivery_is_kept_once(served: Running) -> None:
    body = json.dumps({"action": "labeled", "n": 1}).encode()
    first = served.deliver("issues", body, id_="22222222-0000-4000-8000-000000000000")
    again = served.deliver("issues", body, id_="22222222-0000-4000-8000-000000000000")
    renamed = served.deliver("issues", body, id_="33333333-0000-4000-8000-000000000000")
    other = json.dumps({"action": "labeled", "n": 2}).encode()
    changed = served.deliver("issues", other, id_="22222222-0000-4000-8000-000000000000")

    assert [one.document["state"] for one in (again, renamed, changed)] == ["known"] * 3
    assert first.document["state"] in ("accepted", "ignored")
    assert not served.inbox.knows("33333333-0000-4000-8000-000000000000")


def test_fifty_at_once_of_the_same_are_one(served: Running) -> None:
    body = json.dumps({"action": "labeled", "burst": True}).encode()
    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(lambda _: served.deliver("issues", body), range(50)))

    states = [answer.document["state"] for answer in answers]
    assert (len(states), states.count("known")) == (50, 49)


@pytest.mark.slow
def test_a_burst_is_answered_in_time(served: Running) -> None:
    def one(number: int) -> float:
        body = json.dumps({"action": "labeled", "number": number}).encode()
        began = time.monotonic()
        assert served.deliver("issues", body).status == 202
        return time.monotonic() - began

    with ThreadPoolExecutor(20) as pool:
        took = sorted(pool.map(one, range(200)))

    assert took[-3] < 5


def test_what_cannot_be_kept_is_not_taken_and_what_comes_next_is(served: Running) -> None:
    """GitHub notes that it failed, and is asked for it again."""
    base = served.inbox.database
    bodies = [json.dumps({"action": "labeled", "lost": number}).encode() for number in range(6)]
    base.write("ALTER TABLE deliveries RENAME TO away")
    try:
        with ThreadPoolExecutor(6) as pool:
            lost = list(pool.map(lambda body: served.deliver("issues", body).status, bodies))
    finally:
        base.write("ALTER TABLE away RENAME TO deliveries")
    again = [served.deliver("issues", body).status for body in bodies]

    assert (set(lost), set(again)) == ({503}, {202})


def test_a_database_that_is_locked_for_a_moment_keeps_all_that_came(served: Running) -> None:
    bodies = [json.dumps({"action": "labeled", "patient": number}).encode() for number in range(40)]
    with ThreadPoolExecutor(40) as pool:
        with served.inbox.database.alone(1):
            answers = [pool.submit(served.deliver, "issues", body) for body in bodies]
            time.sleep(0.5)
            early = [answer for answer in answers if answer.done()]
        states = [answer.result(20).status for answer in answers]

    assert (early, set(states)) == ([], {202})


def test_a_full_body_is_taken(served: Running) -> None:
    body = json.dumps({"action": "labeled", "long": "x" * (20 << 20)}).encode()

    assert served.deliver("ping", body).status == 202


def test_no_answer_tells_the_secret(served: Running) -> None:
    pages = [served.get(path).body for path in ("/", "/queue", "/metrics", "/healthz")]
    refusal = served.call("POST", "/webhook", b"{}")

    assert [body for body in (*pages, refusal.body) if SECRET.encode() in body] == []
