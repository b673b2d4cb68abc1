"""An agent that does what a file says, or tells every mistake in the file before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.agents import AGENTS, make
from bot.agents.means import Means
from bot.agents.scripted import read
from bot.core.policy import layer
from bot.errors import AgentUnusable
from bot.ports import Agent, TurnDone, Usage, Wish
from tests.agents.bench import BRIEF, PLENTY, make_lab


def script(tmp_path: Path, text: str) -> Agent:
    path = tmp_path / "script.yml"
    path.write_text(text)
    return make(f"scripted:{path}", Means())


def play(tmp_path: Path, text: str, *, turns: int) -> list[TurnDone]:
    lab = make_lab(tmp_path / "tree", policy=layer(ask=["npm"]))
    agent = script(tmp_path, text)
    done: list[TurnDone] = []
    for _ in range(turns):
        history = [one.memory for one in done]
        done.append(agent.turn(BRIEF, lab.bench, history=history, feedback="", remaining=PLENTY))
    return done


def test_does_one_turn_after_the_other(tmp_path: Path) -> None:
    done = play(
        tmp_path,
        """
- say: I look around.
- shell: echo hello
- write: {path: src/a.py, content: "x = 1\\n"}
- - edit: {path: src/a.py, old: "1", new: "2"}
  - search: "x ="
  - delete: src/a.py
  - spend: {tokens: 10, cents: 0.5}
- finish: It is right now.
""",
        turns=5,
    )

    assert [(one.wish, one.said) for one in done] == [
        (Wish.GO_ON, "I look around."),
        (Wish.GO_ON, "hello\n[exit code 0]"),
        (Wish.GO_ON, "src/a.py is written: 6 bytes."),
        (Wish.GO_ON, "src/a.py is deleted."),
        (Wish.FINISH, "It is right now."),
    ]
    assert [[call.tool for call in one.calls] for one in done] == [
        [],
        ["shell"],
        ["write"],
        ["edit", "search", "delete"],
        ["finish"],
    ]
    assert done[3].usage == Usage(input_tokens=10, cents=0.5)


def test_without_a_last_wish_asks_once_and_then_gives_up(tmp_path: Path) -> None:
    done = play(tmp_path, "- say: hello", turns=4)

    assert [one.wish for one in done] == [Wish.GO_ON, Wish.FINISH, Wish.GIVE_UP, Wish.GIVE_UP]


def test_that_finished_and_was_told_red_gives_up(tmp_path: Path) -> None:
    done = play(tmp_path, "- finish: true", turns=2)

    assert [one.wish for one in done] == [Wish.FINISH, Wish.GIVE_UP]


def test_can_give_up_ask_and_wait(tmp_path: Path) -> None:
    done = play(tmp_path, "- shell: npm i\n- wait: 0.01\n- give_up: No idea.", turns=3)

    assert [one.wish for one in done] == [Wish.ASK, Wish.GO_ON, Wish.GIVE_UP]
    assert done[2].said == "No idea."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": the script is empty"),
        ("a: b", ":1: a script is a list of turns"),
        ("- shell: ls\n- run: ls", ":2: no action 'run'; there are shell, write"),
        ("- say", ":1: an action is one word and what it needs, as in `shell: make`"),
        ("- {say: a, shell: b}", ":1: an action is one word and what it needs"),
        ("- shell:", ":1: text is needed here"),
        ("- write: {path: a}", ":1: needs path and content, and nothing else"),
        ("- write: {path: a, content: b, mode: c}", ":1: needs path and content, and nothing"),
        ("- edit: x", ":1: needs path and old and new"),
        ("- write: {path: a, content: [b]}", ":1: text is needed here"),
        ("- wait: soon", ":1: a number is needed here"),
        ("- say: a\n- say: 'b", ":2: found unexpected end of stream"),
        ("- say: \x00", ": unacceptable character #x0000: special characters are not allowed"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "script.yml"
    path.write_text(text)

    with pytest.raises(AgentUnusable) as raised:
        read(path)

    assert str(raised.value).removeprefix(str(path)).startswith(said)


def test_a_file_that_is_not_there_or_not_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin.yml").write_bytes(b"- say: caf\xe9")

    with pytest.raises(AgentUnusable, match=r"none\.yml: No such file"):
        read(tmp_path / "none.yml")
    with pytest.raises(AgentUnusable, match=r"latin\.yml: not UTF-8"):
        read(tmp_path / "latin.yml")


class TestTheRegistry:
    def test_holds_all_there_are(self) -> None:
        assert list(AGENTS) == ["repair", "anthropic", "command", "scripted"]

    @pytest.mark.parametrize(
        ("spoken", "said"),
        [
            ("antropic", "there is no agent 'antropic'; did you mean 'anthropic'?"),
            ("gpt", "there is no agent 'gpt'; there are repair, anthropic, command, scripted"),
            ("scripted", "needs a file"),
            ("command:", "needs a command"),
            ("anthropic", "set ANTHROPIC_API_KEY"),
        ],
    )
    def test_says_what_is_wrong_with_a_name(self, spoken: str, said: str) -> None:
        with pytest.raises(AgentUnusable) as raised:
            make(spoken, Means())

        assert said in str(raised.value)

    def test_keeps_colons_of_a_command(self) -> None:
        assert make("command:echo a:b", Means()).command == "echo a:b"  # type: ignore[attr-defined]

    def test_does_not_show_the_key(self) -> None:
        assert "sk-1" not in repr(Means(secret="sk-1"))
