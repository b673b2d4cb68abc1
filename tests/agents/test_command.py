"""Any program as an agent: what it is told, and what its ends mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.agents.command import make
from bot.agents.means import Means
from bot.core.policy import layer
from bot.core.prompt import errand
from bot.errors import AgentUnusable
from bot.ports import Call, Remaining, TurnDone, Wish
from tests.agents.bench import BRIEF, JAILS, PLENTY, Lab, make_lab


@pytest.fixture(params=JAILS)
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> Lab:
    return make_lab(tmp_path / "tree", policy=layer(deny=["curl"], ask=["npm"]), jail=request.param)


def turn(
    lab: Lab, command: str, *, feedback: str = "", remaining: Remaining = PLENTY, runs: int = 0
) -> TurnDone:
    agent = make(Means(argument=command, clock=lambda: 0.0))
    return agent.turn(
        BRIEF, lab.bench, history=[b"{}"] * runs, feedback=feedback, remaining=remaining
    )


def plain(done: TurnDone) -> TurnDone:
    return replace(done, calls=tuple(replace(call, seconds=0.0) for call in done.calls))


def test_works_in_the_checkout_and_asks_to_be_judged(lab: Lab) -> None:
    done = turn(lab, "echo 'x = 1' > a.py; echo done")

    assert plain(done) == TurnDone(
        wish=Wish.FINISH,
        said="done",
        memory=b'{"runs": 1, "exit_code": 0}',
        calls=(Call(tool="command", argument="echo 'x = 1' > a.py; echo done", exit_code=0),),
    )
    assert lab.text("a.py") == "x = 1\n"


def test_is_told_on_standard_input_and_in_files(lab: Lab) -> None:
    turn(
        lab,
        'cat > in; cat "$JAM_OBJECTIVE" > objective; cat "$JAM_FEEDBACK" > feedback; '
        'cat "$JAM_TARGETS" > targets',
        feedback="Failing: test_a",
        runs=1,
    )

    assert {name: lab.text(name) for name in ("in", "objective", "feedback", "targets")} == {
        "in": f"{errand(BRIEF)}\n\nFailing: test_a",
        "objective": errand(BRIEF),
        "feedback": "Failing: test_a",
        "targets": "tests/test_a.py::test_a\n",
    }


def test_may_leave_its_input_unread(lab: Lab) -> None:
    assert turn(lab, "true").wish is Wish.FINISH


@pytest.mark.parametrize(
    ("command", "wish", "said"),
    [
        ("echo half; exit 3", Wish.FINISH, "half\nThe command ended with exit code 3."),
        ("kill -9 $$", Wish.FINISH, "The command ended with exit code 137."),
        ("exit 127", Wish.GIVE_UP, "The command cannot be started: exit 127"),
    ],
)
def test_each_end_means_something(lab: Lab, command: str, wish: Wish, said: str) -> None:
    done = turn(lab, command)

    assert (done.wish, done.said) == (wish, said)


def test_a_program_that_is_not_there_is_given_up(lab: Lab) -> None:
    done = turn(lab, "no-such-program --now")

    assert done.wish is Wish.GIVE_UP
    assert done.said.endswith("The command cannot be started: no-such-program --now")


def test_is_ended_when_the_time_is_over(lab: Lab) -> None:
    done = turn(lab, "echo begun; sleep 60", remaining=replace(PLENTY, seconds=1.0))

    assert (done.wish, done.said) == (
        Wish.FINISH,
        "begun\nThe command was ended: its time was over.",
    )


def test_a_stop_ends_it(lab: Lab) -> None:
    lab.stop.set()

    assert turn(lab, "sleep 60").wish is Wish.GIVE_UP


def test_only_the_end_of_what_it_said_is_kept_and_nothing_hidden(lab: Lab) -> None:
    said = turn(lab, r"seq 1 5000; printf '\033[31mred\033[0m\342\200\213'").said

    assert len(said) < 4_100
    assert said.startswith("[… ")
    assert said.endswith("5000\nred\ufffd")


@pytest.mark.parametrize(("command", "wish"), [("curl x", Wish.GIVE_UP), ("npm i", Wish.ASK)])
def test_the_policy_holds_for_it_too(lab: Lab, command: str, wish: Wish) -> None:
    done = turn(lab, command)

    assert (done.wish, done.calls[0].exit_code) == (wish, None)


def test_needs_a_command() -> None:
    with pytest.raises(AgentUnusable, match="command:CMD"):
        make(Means(argument="  "))
