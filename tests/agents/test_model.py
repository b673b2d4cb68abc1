"""The model agent with the real client, against a service that speaks the real protocol."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from bot.agents.means import Means
from bot.agents.model.agent import CUT, EMPTY, MOST_CALLS, ModelAgent
from bot.agents.model.making import make
from bot.agents.model.service import TRIES
from bot.core.policy import layer
from bot.core.prompt import MENDING, SYSTEM, opening
from bot.errors import AgentUnusable, ModelUnavailable
from bot.ports import Call, Remaining, TurnDone, Usage, Wish
from tests.agents.bench import BRIEF, PLENTY, Lab, make_lab
from tests.model_server import Fail, ModelServer, Reply, Say, Talk, call, calls, text, thought

SECRET = "sk-ant-canary-5d1f0e"
EDITOR = "str_replace_based_edit_tool"
COMPACTS = {"capabilities": {"context_management": {"compact_20260112": {"supported": True}}}}
CLEARS = {"capabilities": {"context_management": {"clear_tool_uses_20250919": {"supported": True}}}}
DONE = calls(call("finish", {"summary": "It was wrong; I made it right."}))


class Talks:
    """Turns of one agent against one service, as the engine would take them."""

    def __init__(self, server: ModelServer, lab: Lab, *, model: str = "claude-sonnet-5-5") -> None:
        self.server, self.lab = server, lab
        self.history: list[bytes] = []
        self.agent = self.anew(model)

    def anew(self, model: str = "claude-sonnet-5-5", *, frame: str = SYSTEM) -> ModelAgent:
        self.agent = make(
            Means(
                model=model,
                frame=frame,
                secret=SECRET,
                base_url=self.server.url,
                chance=lambda: 0.0,
                first_pause_s=0.005,
            )
        )
        return self.agent

    def turn(self, feedback: str = "", remaining: Remaining = PLENTY) -> TurnDone:
        done = self.agent.turn(
            BRIEF, self.lab.bench, history=self.history, feedback=feedback, remaining=remaining
        )
        self.history.append(done.memory)
        return done


Begin = Callable[..., Talks]


def _nothing(call_id: str) -> dict[str, object]:
    """A call that needs no command to be answered."""
    return call("bash", {"restart": True}, call_id)


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    begun: list[Talks] = []

    def start(*replies: Reply, abilities: object = None, model: str = "claude-sonnet-5-5") -> Talks:
        server = ModelServer(list(replies), abilities=abilities).__enter__()
        lab = make_lab(tmp_path / "tree", policy=layer(deny=["curl"], ask=["npm"]))
        begun.append(Talks(server, lab, model=model))
        return begun[-1]

    yield start
    for talks in begun:
        talks.agent.service.client.close()
        talks.server.__exit__(None, None, None)
        assert talks.server.refusals == []


def messages(talks: Talks, number: int = -1) -> Any:
    """What was sent, without the marks of the cache."""
    sent = json.dumps(talks.server.requests[number]["messages"])
    return json.loads(sent.replace(', "cache_control": {"type": "ephemeral"}', ""))


def last_text(talks: Talks) -> str:
    return str(messages(talks)[-1]["content"][-1]["text"])


class TestASession:
    def test_goes_from_looking_to_finishing(self, begin: Begin) -> None:
        talks = begin(
            calls(
                thought("Look first."),
                text("I look."),
                call("bash", {"command": "echo 'x = 1' > a.py; cat a.py"}),
            ),
            calls(
                call(
                    EDITOR,
                    {"command": "str_replace", "path": "a.py", "old_str": "1", "new_str": "2"},
                    "toolu_2",
                )
            ),
            DONE,
        )

        looked, edited, finished = talks.turn(), talks.turn(), talks.turn()

        assert [done.wish for done in (looked, edited, finished)] == [
            Wish.GO_ON,
            Wish.GO_ON,
            Wish.FINISH,
        ]
        assert (looked.said, finished.said) == ("I look.", "It was wrong; I made it right.")
        assert [done.calls[0].tool for done in (looked, edited, finished)] == [
            "shell",
            "edit",
            "finish",
        ]
        assert talks.lab.text("a.py") == "x = 2\n"
        assert messages(talks) == [
            {"role": "user", "content": [text(opening(BRIEF))]},
            {
                "role": "assistant",
                "content": [
                    thought("Look first."),
                    text("I look."),
                    call("bash", {"command": "echo 'x = 1' > a.py; cat a.py"}),
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_1",
                        "content": "x = 1\n[exit code 0]",
                    }
                ],
            },
            {
                "role": "assistant",
                "content": [
                    call(
                        EDITOR,
                        {"command": "str_replace", "path": "a.py", "old_str": "1", "new_str": "2"},
                        "toolu_2",
                    )
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "toolu_2",
                        "content": "a.py is changed:\n     1\tx = 2",
                    }
                ],
            },
        ]

    def test_hears_what_the_stop_gate_said_after_its_wish(self, begin: Begin) -> None:
        talks = begin(DONE, Say(blocks=(text("Better now."),)))

        talks.turn()
        done = talks.turn(feedback="Failing: test_a")

        assert (done.wish, done.said) == (Wish.FINISH, "Better now.")
        assert messages(talks)[-1]["content"] == [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "jam is asked to judge."},
            text("Failing: test_a"),
        ]

    def test_is_the_same_conversation_after_a_crash(self, begin: Begin) -> None:
        """Another process, with nothing but the memory of each turn."""
        talks = begin(calls(thought("Hm."), call("bash", {"command": "echo ä"})), DONE, DONE)
        talks.turn()
        talks.turn()
        first, second = talks.server.requests
        talks.agent.service.client.close()

        talks.anew()
        talks.history.pop()
        talks.turn()

        assert talks.server.requests[2] == second
        assert (
            second["messages"][0]["content"][0]["text"]
            == first["messages"][0]["content"][0]["text"]
        )

    def test_offers_the_tools_that_the_models_were_taught(self, begin: Begin) -> None:
        talks = begin(DONE)

        talks.turn()
        request = talks.server.requests[0]

        assert [tool.get("type") or tool["name"] for tool in request["tools"]] == [
            "bash_20250124",
            "text_editor_20250728",
            "search",
            "finish",
        ]
        assert request["system"][0]["text"] == SYSTEM
        assert (request["stream"], request["model"]) == (True, "claude-sonnet-5-5")

    def test_is_told_that_tests_may_change_where_they_are_flaky(self, begin: Begin) -> None:
        talks = begin(DONE)
        talks.anew(frame=MENDING)

        talks.turn()
        told = talks.server.requests[0]["system"][0]["text"]

        assert told == MENDING
        assert "test files may be changed" in told
        assert "changes to the tests" not in told

    def test_pays_for_its_history_once(self, begin: Begin) -> None:
        """From the second call on, all that was sent before is read from the cache, also when
        there are more calls in one answer than the service looks back over."""
        talks = begin(*[calls(*[_nothing(f"t{k}_{n}") for n in range(30)]) for k in range(4)])

        done = [talks.turn() for _ in range(4)]

        written = [one.usage.cache_write_tokens for one in done]
        read = [one.usage.cache_read_tokens for one in done]
        assert all(abs(read[n] - sum(written[:n])) <= n for n in range(4))
        assert min(written) > 500
        assert [one.usage.input_tokens for one in done] == [0, 0, 0, 0]

    def test_counts_tokens_and_money(self, begin: Begin) -> None:
        talks = begin(Say(blocks=(text("Done."),), written=1000))

        usage = talks.turn().usage

        assert usage == Usage(
            input_tokens=0,
            output_tokens=1000,
            cache_read_tokens=0,
            cache_write_tokens=usage.cache_write_tokens,
            cents=pytest.approx(usage.cache_write_tokens * 250e-6 + 1.0),
        )

    def test_is_told_when_few_turns_are_left(self, begin: Begin) -> None:
        talks = begin(calls(call("bash", {"command": "true"})), DONE)

        talks.turn()
        talks.turn(remaining=replace(PLENTY, turns=1))

        assert last_text(talks).startswith("This is your last turn.")


class TestContext:
    def test_is_compacted_by_the_service_where_it_can(self, begin: Begin) -> None:
        compaction = {"type": "compaction", "content": "So far …", "encrypted_content": "xx"}
        talks = begin(
            calls(
                compaction,
                call("bash", {"command": "true"}),
                written=10,
                iterations=(
                    {"type": "compaction", "input_tokens": 1000, "output_tokens": 100},
                    {"type": "message", "input_tokens": 200, "output_tokens": 10},
                ),
            ),
            DONE,
            abilities=COMPACTS,
        )

        done = talks.turn()
        talks.turn()

        assert talks.server.headers[0]["anthropic-beta"] == "compact-2026-01-12"
        assert talks.server.requests[0]["context_management"] == {
            "edits": [
                {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 150_000}}
            ]
        }
        assert done.usage.output_tokens == 110
        assert done.usage.input_tokens >= 1000
        assert messages(talks)[1]["content"][0] == compaction

    def test_is_cleared_by_the_service_where_it_cannot_compact(self, begin: Begin) -> None:
        talks = begin(DONE, abilities=CLEARS)

        talks.turn()

        assert talks.server.headers[0]["anthropic-beta"] == "context-management-2025-06-27"
        assert [
            edit["type"] for edit in talks.server.requests[0]["context_management"]["edits"]
        ] == ["clear_tool_uses_20250919"]

    def test_is_left_alone_where_the_service_does_not_say(self, begin: Begin) -> None:
        talks = begin(DONE)

        talks.turn()

        assert "context_management" not in talks.server.requests[0]
        assert "anthropic-beta" not in talks.server.headers[0]

    @pytest.mark.parametrize(
        "refusal",
        [
            Fail(status=413, kind="request_too_large"),
            Fail(status=400, message="prompt is too long: 1000001 tokens > 1000000 maximum"),
        ],
    )
    def test_that_does_not_fit_ends_the_work(self, begin: Begin, refusal: Fail) -> None:
        done = begin(refusal).turn()

        assert (done.wish, done.said) == (
            Wish.GIVE_UP,
            "The conversation is too long for the model.",
        )


class TestTrouble:
    # message_start, ping, block start, two deltas, stop, message_delta: dead before message_stop
    @pytest.mark.parametrize("cut", range(8))
    @pytest.mark.parametrize("tidy", [False, True], ids=["dead line", "ended as if whole"])
    def test_a_stream_that_is_cut_anywhere_is_asked_again(
        self, begin: Begin, cut: int, *, tidy: bool
    ) -> None:
        whole = calls(call("bash", {"command": "echo once >> log"}))
        broken = replace(whole, cut=cut, tidy=tidy)
        talks = begin(broken, broken, whole)

        done = talks.turn()

        assert (done.wish, len(talks.server.requests)) == (Wish.GO_ON, 3)
        assert talks.lab.text("log") == "once\n"

    def test_what_a_cut_stream_cost_is_counted(self, begin: Begin) -> None:
        whole = begin(DONE).turn().usage
        cut = begin(replace(DONE, cut=3), DONE).turn().usage

        assert cut.cache_write_tokens + cut.cache_read_tokens == 2 * whole.cache_write_tokens

    @pytest.mark.parametrize(
        "trouble",
        [
            Fail(status=429, kind="rate_limit_error"),
            Fail(status=429, kind="rate_limit_error", headers={"retry-after": "0"}),
            Fail(status=429, headers={"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}),
            Fail(status=429, headers={"retry-after-ms": "5"}),
            Fail(status=500),
            Fail(status=503),
            Fail(status=529, kind="overloaded_error"),
            Fail(status=0),
            Talk(b"<html>hello</html>"),
            Talk(b""),
            Say(error={"type": "overloaded_error", "message": "Overloaded"}, cut=2),
            Say(error={"type": "api_error", "message": "Oops"}, cut=0),
            Say(blocks=({"type": "text"},), cut=1, error={"type": "rate_limit_error"}),
        ],
        ids=lambda trouble: f"{type(trouble).__name__}-{getattr(trouble, 'status', '')}",
    )
    def test_that_may_pass_is_waited_for(self, begin: Begin, trouble: Reply) -> None:
        talks = begin(trouble, trouble, DONE)

        assert talks.turn().wish is Wish.FINISH
        assert len(talks.server.requests) == 3

    def test_that_lasts_is_told_in_the_end(self, begin: Begin) -> None:
        talks = begin(Fail(status=529))

        with pytest.raises(ModelUnavailable, match="in 8 tries: status 529"):
            talks.turn()
        assert len(talks.server.requests) == TRIES

    def test_a_wait_is_as_long_as_the_service_asks(self, begin: Begin) -> None:
        began = time.monotonic()

        begin(Fail(status=429, headers={"retry-after": "0.4"}), DONE).turn()

        assert 0.4 <= time.monotonic() - began < 2

    def test_a_wait_beyond_the_time_that_is_left_is_not_begun(self, begin: Begin) -> None:
        talks = begin(Fail(status=429, headers={"retry-after": "3600"}))
        began = time.monotonic()

        done = talks.turn(remaining=replace(PLENTY, seconds=2.0))

        assert time.monotonic() - began < 1.5
        assert (done.wish, done.said) == (
            Wish.GIVE_UP,
            "The time was over before the model had answered.",
        )

    def test_a_stream_that_only_pings_ends_with_the_time(self, begin: Begin) -> None:
        talks = begin(replace(DONE, pings=100, ping_s=0.05))
        began = time.monotonic()

        done = talks.turn(remaining=replace(PLENTY, seconds=0.5))

        assert time.monotonic() - began < 2
        assert done.wish is Wish.GIVE_UP
        assert done.usage.cache_write_tokens > 0

    @pytest.mark.parametrize(
        "slow",
        [replace(DONE, pings=100, ping_s=0.05), replace(DONE, pause_s=5.0)],
        ids=["pings", "silence"],
    )
    def test_a_stop_is_heard_while_the_model_thinks(self, begin: Begin, slow: Say) -> None:
        talks = begin(slow)
        Timer(0.2, talks.lab.stop.set).start()
        began = time.monotonic()

        assert talks.turn().said == "The session was stopped."
        assert time.monotonic() - began < 2

    def test_a_stop_is_heard_while_the_service_is_waited_for(self, begin: Begin) -> None:
        talks = begin(Fail(status=429, headers={"retry-after": "30"}))
        Timer(0.2, talks.lab.stop.set).start()

        assert talks.turn().said == "The session was stopped."

    @pytest.mark.parametrize("status", [400, 401, 403, 404])
    def test_that_no_waiting_mends_is_told_at_once(self, begin: Begin, status: int) -> None:
        talks = begin(Fail(status=status, message=f"not with {SECRET}"))

        with pytest.raises(AgentUnusable, match=rf"status {status}\): not with \[key\]"):
            talks.turn()
        assert len(talks.server.requests) == 1

    def test_a_key_that_is_refused_is_told_before_anything_is_asked(self, begin: Begin) -> None:
        talks = begin(DONE, abilities=Fail(status=401, message="invalid x-api-key"))

        with pytest.raises(AgentUnusable, match=r"status 401\): invalid x-api-key"):
            talks.turn()
        assert talks.server.requests == []

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            ({"type": "invalid_request_error", "message": "prompt is too long: 9"}, "too long"),
            ({"type": "invalid_request_error", "message": "No."}, "service refused: No."),
        ],
    )
    def test_an_error_midway_that_no_waiting_mends_ends_the_work(
        self, begin: Begin, error: dict[str, str], said: str
    ) -> None:
        talks = begin(calls(_nothing("t1")), Say(error=error, cut=3))

        talks.turn()
        done = talks.turn()

        assert done.wish is Wish.GIVE_UP
        assert said in done.said

    @pytest.mark.parametrize(
        "stream",
        [
            b"event: error\ndata: not json\n\n",
            b"event: message_start\ndata: not json\n\n",
            b'event: message_start\ndata: {"type": "message_start"}\n\n',
            b'event: x\ndata: {"type": "content_block_delta", "index": 9, "delta": {}}\n\n',
        ],
    )
    def test_a_stream_that_makes_no_sense_is_asked_again(self, begin: Begin, stream: bytes) -> None:
        assert begin(Talk(stream), DONE).turn().wish is Wish.FINISH

    def test_that_comes_when_work_was_done_ends_the_work_only(self, begin: Begin) -> None:
        """What was done is judged, whatever became of the account."""
        talks = begin(calls(_nothing("t1")), Fail(status=400, message="Your credit is used up."))

        talks.turn()
        done = talks.turn()

        assert (done.wish, done.said) == (
            Wish.GIVE_UP,
            "the model's service refused (status 400): Your credit is used up.",
        )

    def test_what_the_line_does_after_the_last_event_is_all_the_same(self, begin: Begin) -> None:
        talks = begin(replace(DONE, drops=True))

        assert talks.turn().wish is Wish.FINISH
        assert len(talks.server.requests) == 1

    def test_a_service_that_says_not_to_ask_again_is_not(self, begin: Begin) -> None:
        talks = begin(Fail(status=529, headers={"x-should-retry": "false"}))

        with pytest.raises(AgentUnusable):
            talks.turn()

    def test_what_was_to_be_said_is_not_lost(self, begin: Begin) -> None:
        """The feedback of a turn that failed is said in the next."""
        talks = begin(DONE, Fail(status=413), DONE)

        talks.turn()
        talks.turn(feedback="Failing: test_a")
        talks.turn()

        assert text("Failing: test_a") in messages(talks)[-1]["content"]


class TestEndings:
    @pytest.mark.parametrize(
        ("answer", "wish", "said"),
        [
            (Say(blocks=(text("All done."),)), Wish.FINISH, "All done."),
            (Say(blocks=(text("Stop here."),), stop="stop_sequence"), Wish.FINISH, "Stop here."),
            (Say(blocks=(text("Well"),), stop="brand_new"), Wish.FINISH, "Well"),
            (Say(blocks=(text("Half a"),), stop="max_tokens"), Wish.GO_ON, "Half a"),
            (
                Say(blocks=(text("Half"),), stop="model_context_window_exceeded"),
                Wish.GO_ON,
                "Half",
            ),
            (Say(blocks=(text("Wait"),), stop="pause_turn"), Wish.GO_ON, "Wait"),
            (Say(), Wish.GO_ON, ""),
            (
                Say(stop="refusal", details={"type": "refusal", "explanation": "Not this."}),
                Wish.GIVE_UP,
                "The model declined. Not this.",
            ),
        ],
        ids=lambda value: value.stop if isinstance(value, Say) else "",
    )
    def test_mean_what_they_mean(self, begin: Begin, answer: Say, wish: Wish, said: str) -> None:
        done = begin(answer).turn()

        assert (done.wish, done.said) == (wish, said)

    def test_a_cut_answer_is_gone_on_with(self, begin: Begin) -> None:
        talks = begin(Say(blocks=(text("Half a"),), stop="max_tokens"), DONE)

        talks.turn()
        talks.turn()

        assert last_text(talks) == CUT

    def test_a_cut_call_is_not_carried_out(self, begin: Begin) -> None:
        cut = call("bash", '{"command": "rm -rf sr', "toolu_2")
        talks = begin(
            Say(
                blocks=(call("bash", {"command": "echo whole"}), cut),
                stop="max_tokens",
            ),
            DONE,
        )

        done = talks.turn()
        talks.turn()

        assert [one.exit_code for one in done.calls] == [0, None]
        assert messages(talks)[-1]["content"] == [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "whole\n[exit code 0]"},
            {
                "type": "tool_result",
                "tool_use_id": "toolu_2",
                "content": (
                    "Nothing was done: its arguments are not a JSON object, or were cut off."
                ),
                "is_error": True,
            },
            text(CUT),
        ]

    def test_a_pause_is_gone_on_with_as_it_is(self, begin: Begin) -> None:
        talks = begin(Say(blocks=(text("Wait"),), stop="pause_turn"), DONE)

        talks.turn()
        talks.turn()

        assert messages(talks)[-1] == {"role": "assistant", "content": [text("Wait")]}

    def test_an_empty_answer_is_asked_about_once(self, begin: Begin) -> None:
        talks = begin(Say(), Say(blocks=(text("  "),)))

        first, second = talks.turn(), talks.turn()

        assert (first.wish, second.wish) == (Wish.GO_ON, Wish.FINISH)
        assert last_text(talks) == EMPTY

    def test_thoughts_that_were_cut_off_are_not_sent_back(self, begin: Begin) -> None:
        talks = begin(
            Say(blocks=(thought("Hm", ""), text("So")), stop="max_tokens"),
            DONE,
        )

        talks.turn()
        talks.turn()

        assert messages(talks)[1]["content"] == [text("So")]


class TestCalls:
    @pytest.mark.parametrize(
        ("made", "said"),
        [
            (call("fly", {}), "There is no tool with this name. There are: bash,"),
            (call("bash", "not json"), "Nothing was done: its arguments are not a JSON object"),
            (call("bash", "[1]"), "Nothing was done: its arguments are not a JSON object"),
            (call("bash", {"command": 7}), "Nothing was done: command has to be text."),
            (call("bash", {}), "Nothing was done: command is missing."),
            (call("bash", {"restart": True}), "There is nothing to restart"),
            (call(EDITOR, {"command": "undo_edit", "path": "a"}), "no command 'undo_edit'"),
            (call(EDITOR, {"command": "insert", "path": "a", "insert_line": "x"}), "a number"),
            (call(EDITOR, {"command": "view", "path": "a", "view_range": [1]}), "two numbers"),
            (call("bash", {"command": "curl x"}), "Not allowed here: policy denies 'curl'."),
            (call(EDITOR, {"command": "view", "path": "/etc/shadow"}), "no path inside"),
        ],
        ids=lambda value: json.dumps(value["input"]) if isinstance(value, dict) else "",
    )
    def test_that_make_no_sense_are_answered(
        self, begin: Begin, made: dict[str, object], said: str
    ) -> None:
        talks = begin(calls(made), DONE)

        done = talks.turn()
        talks.turn()

        answer = messages(talks)[-1]["content"][0]
        assert said in answer["content"]
        assert (answer["is_error"], done.wish, len(done.calls)) == (True, Wish.GO_ON, 1)

    def test_of_the_editor_reach_the_files(self, begin: Begin) -> None:
        talks = begin(
            calls(
                call(EDITOR, {"command": "create", "path": "a.py", "file_text": "a\n"}, "t1"),
                call(
                    EDITOR,
                    {"command": "insert", "path": "a.py", "insert_line": 1, "insert_text": "b"},
                    "t2",
                ),
                call(
                    EDITOR,
                    {"command": "insert", "path": "a.py", "insert_line": 0, "new_str": "0"},
                    "t3",
                ),
                call(EDITOR, {"command": "view", "path": "a.py", "view_range": [2, 3]}, "t4"),
                call("search", {"pattern": "b"}, "t5"),
            ),
            DONE,
        )

        talks.turn()
        talks.turn()

        contents = [one["content"] for one in messages(talks)[-1]["content"]]
        assert contents[3:] == ["     2\ta\n     3\tb", "a.py:3:b"]

    def test_fifty_at_once_are_all_answered_in_one_message(self, begin: Begin) -> None:
        many = [_nothing(f"t{n}") for n in range(50)]
        many[7] = call("bash", {"command": "echo 7"}, "t7")
        talks = begin(calls(*many), DONE)

        done = talks.turn()
        talks.turn()

        assert len(done.calls) == 50
        answers = messages(talks)[-1]["content"]
        assert [one["tool_use_id"] for one in answers] == [f"t{n}" for n in range(50)]
        assert answers[7]["content"] == "7\n[exit code 0]"

    def test_a_thousand_at_once_are_answered_and_most_are_not_carried_out(
        self, begin: Begin
    ) -> None:
        many = [_nothing(f"t{n}") for n in range(1000)]
        talks = begin(calls(*many), DONE)

        done = talks.turn()
        talks.turn()

        assert len(messages(talks)[-1]["content"]) == 1000
        assert sum("at once" in one.why for one in done.calls) == 1000 - MOST_CALLS

    def test_are_not_carried_out_when_the_time_is_over(self, begin: Begin) -> None:
        """A stop that comes while the first of two runs."""
        talks = begin(
            calls(call("bash", {"command": "sleep 5"}, "t1"), call("bash", {"command": "ls"}, "t2"))
        )
        Timer(0.5, talks.lab.stop.set).start()

        done = talks.turn()

        assert [one.why for one in done.calls] == ["", "Nothing was done: the time is over."]

    def test_what_a_newer_service_says_is_sent_back_as_it_came(self, begin: Begin) -> None:
        novel = {"type": "novel_block", "content": "?"}
        talks = begin(Say(blocks=(novel, text("So"))), DONE)

        talks.turn()
        talks.turn()

        assert messages(talks)[1]["content"] == [novel, text("So")]

    def test_the_same_id_twice_is_one_call(self, begin: Begin) -> None:
        made = call("bash", {"command": "echo once >> log"})
        talks = begin(calls(made, made), DONE)

        done = talks.turn()
        talks.turn()

        assert (len(done.calls), talks.lab.text("log")) == (1, "once\n")

    def test_that_need_a_person_pause_the_session(self, begin: Begin) -> None:
        talks = begin(calls(call("bash", {"command": "npm install"})), DONE)

        done = talks.turn()
        talks.turn(feedback="A person agreed.")

        assert done == TurnDone(
            wish=Wish.ASK,
            said=("Not done yet: a person is asked first (policy asks about 'npm'): npm install"),
            memory=done.memory,
            usage=done.usage,
            calls=(
                Call(
                    tool="shell",
                    argument="npm install",
                    decision="ask",
                    why="policy asks about 'npm'",
                ),
            ),
        )
        assert last_text(talks) == "A person agreed."

    def test_much_output_of_many_is_shared_out(self, begin: Begin) -> None:
        many = [_nothing(f"t{n}") for n in range(40)]
        many[:4] = [call("bash", {"command": "seq 1 99999"}, f"t{n}") for n in range(4)]
        talks = begin(calls(*many), DONE)

        talks.turn()
        talks.turn()

        assert len(json.dumps(messages(talks)[-1])) < 4 * 4_000 * 1.5 + 40 * 200

    def test_without_end_are_ended_by_the_turns(self, begin: Begin) -> None:
        """The engine counts; every turn is one answer, however eager the model is."""
        talks = begin(calls(_nothing("t")))

        wishes = [talks.turn().wish for _ in range(10)]

        assert (set(wishes), len(talks.server.requests)) == ({Wish.GO_ON}, 10)


class TestBudget:
    def test_an_answer_may_be_no_longer_than_what_is_left_pays_for(self, begin: Begin) -> None:
        talks = begin(DONE)

        talks.turn(remaining=replace(PLENTY, cents=10.0))
        request = talks.server.requests[0]

        size = len(json.dumps(request))
        assert 5_000 < request["max_tokens"] < 10_000
        assert request["max_tokens"] * 1_000e-6 + size / 4 * 250e-6 < 10.0

    @pytest.mark.parametrize(
        "remaining",
        [replace(PLENTY, cents=0.5), replace(PLENTY, tokens=4_000), replace(PLENTY, cents=0.0)],
        ids=["little money", "few tokens", "no money"],
    )
    def test_a_call_that_could_exceed_it_is_not_made(
        self, begin: Begin, remaining: Remaining
    ) -> None:
        talks = begin(DONE)

        done = talks.turn(remaining=remaining)

        assert (done.wish, done.usage, talks.server.requests) == (Wish.GIVE_UP, Usage(), [])
        assert done.said == "The rest of the budget does not pay for another answer."

    def test_it_is_never_exceeded(self, begin: Begin) -> None:
        talks = begin(calls(call("bash", {"command": "seq 1 5000"}), written=3_000))
        cents = 30.0

        while (done := talks.turn(remaining=replace(PLENTY, cents=cents))).wish is Wish.GO_ON:
            cents -= done.usage.cents

        assert (done.wish, cents > 0, len(talks.server.requests) > 2) == (Wish.GIVE_UP, True, True)


class TestTheKey:
    def test_is_in_the_header_and_nowhere_else(self, begin: Begin) -> None:
        talks = begin(calls(call("bash", {"command": "env; set; cat /proc/self/environ"})), DONE)

        done = [talks.turn(), talks.turn()]

        assert talks.server.headers[0]["authorization"] == f"Bearer {SECRET}"
        seen = json.dumps(talks.server.requests) + repr(done) + repr(talks.agent)
        assert SECRET not in seen + repr(talks.history) + repr(talks.lab.said)

    def test_is_needed(self) -> None:
        with pytest.raises(AgentUnusable, match="ANTHROPIC_API_KEY"):
            make(Means())
