"""The model's service goes wrong in a session of the App, in every way at once; and a model that
never comes to an end costs what it may, and at most one call more."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest

from tests.model_server import Fail, ModelServer, Reply, Say, Talk, call, calls, text
from tests.stories.faults.ground import CONTRACT, FILES, KEPT, ONCE, ask, end_of, held, quiet, tidy
from tests.stories.github.world import World, world

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
MEND = {"command": "sed -i 's/left > 1/left > 0/' ledgerlib.py"}
USD = 2
AGENT = f"agent: {{backend: anthropic, model: claude-sonnet-5-5}}\nbudget: {{usd: {USD}}}\n"
OVERLOADED = {"type": "overloaded_error", "message": "Overloaded"}
WRONG: tuple[Reply, ...] = (
    Fail(status=429, headers={"retry-after": "0"}),
    Fail(status=529, kind="overloaded_error"),
    Fail(status=500),
    Fail(status=0),
    Talk(b"<html>It works!</html>"),
    calls(call("bash", MEND), cut=3),
    Say(blocks=(text("I will"),), cut=3, error=OVERLOADED),
    calls(call("bash", '{"command": "rm -rf', "t1")),
    calls(call("no_such_tool", {}, "t2")),
    Say(blocks=(text("It is too"),), stop="max_tokens"),
)
BETWEEN: tuple[Reply, ...] = tuple(
    calls(call("bash", {"command": "true"}, f"between{n}")) for n in range(len(WRONG))
)
"""Else each fault would be waited out for twice as long as the one before."""
RIGHT: tuple[Reply, ...] = (
    calls(call("bash", MEND, "t3")),
    calls(call("finish", {"summary": "It is right now."}, "t4")),
)


def told(home: Path, server: ModelServer) -> dict[str, object]:
    return {
        "files": {**FILES, ".github/jam.yml": CONTRACT + AGENT},
        "environment": {
            "ANTHROPIC_API_KEY": "sk-ant-nobodys",
            "ANTHROPIC_BASE_URL": server.url,
            "TMPDIR": str(home),
        },
    }


def cents(one: World) -> float:
    with closing(sqlite3.connect(one.home / "state" / "jam.sqlite")) as base:
        return float(base.execute("SELECT SUM(cents) FROM sessions").fetchone()[0])


def test_whatever_goes_wrong_on_the_way_the_change_is_made_once(tmp_path: Path) -> None:
    with (
        ModelServer([*chain(*zip(WRONG, BETWEEN, strict=True)), *RIGHT]) as server,
        world(tmp_path, **told(tmp_path, server)) as one,  # type: ignore[arg-type]
    ):
        number = ask(one)
        end_of(one, number)
        assert held(one, number) == ONCE
        pull = one.pull(one.pulls()[0])
        refused = server.refusals
        tidy(one)
        quiet(one)

    assert "**Verified.**" in pull.thread.body
    assert refused == []  # each call was answered once, roles in turn


def test_a_model_that_never_ends_costs_what_it_may_and_no_more_than_one_call(
    tmp_path: Path,
) -> None:
    each = calls(call("bash", {"command": "true"}), written=50_000)  # 75 cents
    with (
        ModelServer([each]) as server,
        world(tmp_path, **told(tmp_path, server)) as one,  # type: ignore[arg-type]
    ):
        number = ask(one)
        end_of(one, number)
        assert held(one, number, KEPT) == KEPT
        said, spent, asked = one.said(number), cents(one), len(server.requests)
        quiet(one)

    assert "**Failed.**" in said
    assert 100 < spent <= USD * 100 + 80
    assert asked <= 4
