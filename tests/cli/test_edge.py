"""Every way in which a command can end is one sentence and the exit code of the table of ends."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest

from bot.app.requests import (
    Answer,
    AttestRequest,
    CheckpointsAction,
    CheckpointsRequest,
    DemoRequest,
    DoctorRequest,
    Engine,
    FixRequest,
    KeygenRequest,
    LedgerCheckRequest,
    LocateRequest,
    ResumeRequest,
    SessionsRequest,
    ShowRequest,
    VerifyRequest,
)
from bot.cli import COMMANDS, edge
from bot.core.contract import SandboxKind
from bot.errors import GitFailed, LedgerBroken, NoSuchSession, SpecError
from bot.ports import Say


@dataclass
class Recorder:
    """An engine that remembers what it was asked, and answers (or fails) as it was told."""

    answer: Answer | BaseException = field(default_factory=lambda: Answer(text="done"))
    asked: list[object] = field(default_factory=list)
    said: str = ""

    def _take(self, request: object, say: Say | None = None) -> Answer:
        self.asked.append(request)
        if say and self.said:
            say(self.said)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def fix(self, request: FixRequest, *, say: Say, stop: Event) -> Answer:
        return self._take(request, say)

    def verify(self, request: VerifyRequest, *, say: Say, stop: Event) -> Answer:
        return self._take(request, say)

    def resume(self, request: ResumeRequest, *, say: Say, stop: Event) -> Answer:
        return self._take(request, say)

    def locate(self, request: LocateRequest, *, say: Say, stop: Event) -> Answer:
        return self._take(request, say)

    def show(self, request: ShowRequest) -> Answer:
        return self._take(request)

    def sessions(self, request: SessionsRequest) -> Answer:
        return self._take(request)

    def checkpoints(self, request: CheckpointsRequest) -> Answer:
        return self._take(request)

    def ledger_check(self, request: LedgerCheckRequest) -> Answer:
        return self._take(request)

    def attest_verify(self, request: AttestRequest) -> Answer:
        return self._take(request)

    def attest_keygen(self, request: KeygenRequest) -> Answer:
        return self._take(request)

    def doctor(self, request: DoctorRequest, *, say: Say) -> Answer:
        return self._take(request, say)

    def demo(self, request: DemoRequest, *, say: Say, stop: Event) -> Answer:
        return self._take(request, say)


def run(line: str, engine: Engine | None = None) -> int:
    name, *words = line.split()
    return edge.run(name, words, module=COMMANDS[name][0], load=lambda: engine or Recorder())


REPO = Path("r")
REQUESTS: dict[str, object] = {
    "fix --repo r --issue i.md": FixRequest(repo=REPO, issue=Path("i.md")),
    "fix --repo r --issue - --config c --oracle o --target a --target b --base B --agent repair "
    "--branch n --state s --sandbox none --dry-run --json": FixRequest(
        repo=REPO,
        issue=None,
        config=Path("c"),
        oracle="o",
        targets=("a", "b"),
        base="B",
        agent="repair",
        branch="n",
        state=Path("s"),
        sandbox=SandboxKind.NONE,
        dry_run=True,
    ),
    "verify --repo r --base B --head H": VerifyRequest(repo=REPO, base="B", head="H"),
    "verify --repo r --base B --head H --target t --config c --oracle o --state s "
    "--sandbox bwrap": VerifyRequest(
        repo=REPO,
        base="B",
        head="H",
        targets=("t",),
        config=Path("c"),
        oracle="o",
        state=Path("s"),
        sandbox=SandboxKind.BWRAP,
    ),
    "locate --repo r --limit 3": LocateRequest(repo=REPO, limit=3),
    "resume s1 --state s": ResumeRequest(session="s1", state=Path("s")),
    "show s1": ShowRequest(session="s1"),
    "sessions": SessionsRequest(),
    "checkpoints list s1": CheckpointsRequest(
        action=CheckpointsAction.LIST, session="s1", repo=Path()
    ),
    "checkpoints diff s1 2 --repo r": CheckpointsRequest(
        action=CheckpointsAction.DIFF, session="s1", repo=REPO, number=2
    ),
    "checkpoints restore s1": CheckpointsRequest(
        action=CheckpointsAction.RESTORE, session="s1", repo=Path()
    ),
    "checkpoints prune s1 0": CheckpointsRequest(
        action=CheckpointsAction.PRUNE, session="s1", repo=Path(), number=0
    ),
    "ledger check l.jsonl": LedgerCheckRequest(file=Path("l.jsonl")),
    "attest verify s.json": AttestRequest(file=Path("s.json")),
    "attest verify --repo r --commit c --key k --json": AttestRequest(
        repo=REPO, commit="c", key=Path("k")
    ),
    "attest verify s.json --ledger l --evidence e": AttestRequest(
        file=Path("s.json"), ledger=Path("l"), evidence=Path("e")
    ),
    "attest keygen k": KeygenRequest(file=Path("k")),
    "demo": DemoRequest(into=Path(".demo")),
    "demo --into d --agent command:cat --sandbox none": DemoRequest(
        into=Path("d"), agent="command:cat", sandbox=SandboxKind.NONE
    ),
    "demo --local": DemoRequest(into=Path(".demo"), local=True),
    "demo --wait": DemoRequest(into=Path(".demo"), wait=True),
    "doctor --repo r": DoctorRequest(repo=REPO),
}


@pytest.mark.parametrize(("line", "request_"), REQUESTS.items(), ids=REQUESTS.keys())
def test_the_arguments_become_one_request(line: str, request_: object) -> None:
    engine = Recorder()

    assert run(line, engine) == 0
    assert engine.asked == [request_]


@pytest.mark.parametrize("line", ["serve --port 65536", "serve --port -1", "minihub --port 99999"])
def test_a_port_that_no_machine_has_is_refused(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line, Recorder()) == 2
    assert "'--port'" in capsys.readouterr().err


class TestAnAnswer:
    ANSWER = Answer(text="a body", document={"outcome": "failed"}, exit_code=1)

    def test_is_text_on_standard_output_and_talk_is_not(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run("fix --repo r --issue i", Recorder(self.ANSWER, said="working")) == 1
        assert capsys.readouterr() == ("a body\n", "working\n")

    def test_is_one_document_with_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run("fix --repo r --issue i --json", Recorder(self.ANSWER, said="working")) == 1
        told = capsys.readouterr()
        assert (json.loads(told.out), told.err) == ({"outcome": "failed"}, "working\n")


ENDS: dict[str, tuple[BaseException, int, str]] = {
    "refused": (NoSuchSession("no session s1"), 2, "jam: no session s1\n"),
    "refused with a code": (
        SpecError("spec.not_red", "the oracle is green"),
        2,
        "jam: the oracle is green [spec.not_red]\n",
    ),
    "the world is in the way": (GitFailed("git said no"), 75, "jam: git said no\n"),
    "trust is broken": (
        LedgerBroken("entry 3 does not follow"),
        5,
        "jam: entry 3 does not follow\n",
    ),
    "interrupted": (KeyboardInterrupt(), 130, "jam: interrupted.\n"),
}


@pytest.mark.parametrize(("why", "code", "sentence"), ENDS.values(), ids=ENDS.keys())
def test_an_error_is_one_sentence(
    why: BaseException, code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show s1", Recorder(why)) == code
    assert capsys.readouterr() == ("", sentence)


def test_a_refusal_is_a_document_with_json(capsys: pytest.CaptureFixture[str]) -> None:
    refused = SpecError("spec.not_red", "the oracle is green")

    assert run("show s1 --json", Recorder(refused)) == 2
    assert json.loads(capsys.readouterr().out) == {
        "exit_code": 2,
        "error": "spec.not_red",
        "message": "the oracle is green",
    }


def test_a_broken_pipe_of_the_engine_s_is_a_bug_and_no_reader_that_left(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run("show s1", Recorder(BrokenPipeError())) == 70
    assert "this is a bug in jam (BrokenPipeError)" in capfd.readouterr().err


def test_a_bug_keeps_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show s1", Recorder(ZeroDivisionError("x"))) == 70
    told = capsys.readouterr().err
    assert "Traceback (most recent call last)" in told
    assert told.endswith(
        "jam: this is a bug in jam (ZeroDivisionError); the lines above say where.\n"
    )


MISUSED = {
    "show": "Missing argument 'session'. `jam show --help`",
    "show s1 --jsno": "No such option: --jsno (Possible options: --json) `jam show --help`",
    "fix --repo r --issue i --sandbox moon": "Invalid value for '--sandbox': "
    "'moon' is not one of 'auto', 'bwrap', 'none'. `jam fix --help`",
    "checkpoints lst s1": "No such command 'lst'. Did you mean 'list'? `jam checkpoints --help`",
    "checkpoints diff s1 two": "Invalid value for '[N]': Input should be a valid integer, "
    "unable to parse string as an integer. `jam checkpoints diff --help`",
    "ledger check": "Missing argument 'FILE'. `jam ledger check --help`",
}


@pytest.mark.parametrize(("line", "sentence"), MISUSED.items(), ids=MISUSED.keys())
def test_misuse_is_one_sentence_and_nothing_is_asked(
    line: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = Recorder()

    assert (run(line, engine), engine.asked) == (2, [])
    assert capsys.readouterr() == ("", f"jam: {sentence} tells how it is used.\n")
