"""
One action in, one ``Done`` out: decided by the policy, run in the jail, bounded, recorded.

Never raises for what an agent did wrong; that is told to the agent, in a sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from time import monotonic

from bot.agents.tools import inside
from bot.agents.tools.actions import (
    LONGEST_S,
    Action,
    Delete,
    Done,
    Edit,
    Finish,
    Insert,
    Read,
    Search,
    Shell,
    Unusable,
    Write,
)
from bot.agents.tools.files import Files, Refused, relative
from bot.core.visible import bound, one_line, see
from bot.ports import Bench, Call, Ended, Limits, Ran

SHOWN = 16_000  # characters of one answer
ARGUMENT = 300  # characters of a call's argument that are kept
FOUND = 200  # lines of a search that are shown
WIDEST = 300  # characters of one of them
SEARCH_S = 60.0


@dataclass(frozen=True, slots=True)
class Toolbox:
    """``seconds_left`` bounds every command; ``shown`` bounds every answer."""

    bench: Bench
    seconds_left: Callable[[], float]
    shown: int = SHOWN
    clock: Callable[[], float] = monotonic

    def perform(self, action: Action) -> Done:
        began = self.clock()
        done = self._perform(action)
        self.bench.say(_line(done.call))
        if done.call.decision != "allow":
            return done
        return Done(text=done.text, call=_timed(done.call, self.clock() - began), ok=done.ok)

    def _perform(self, action: Action) -> Done:
        match action:
            case Shell():
                return self._shell(action)
            case Search():
                return self._search(action)
            case Finish():
                return Done(text="jam is asked to judge.", call=Call(tool="finish", argument=""))
            case Unusable():
                call = Call(tool=one_line(action.tool, 60), argument="", why=action.why)
                return Done(text=action.why, call=call, ok=False)
            case _:
                return self._file(action)

    def _shell(self, action: Shell) -> Done:
        call = Call(tool="shell", argument=one_line(action.command, ARGUMENT))
        refused = _refused(call, self.bench.may_run(action.command), action.command)
        if refused:
            return refused
        timeout_s = max(1.0, min(action.timeout_s, LONGEST_S, self.seconds_left()))
        ran = self._run(inside.SHELL, action.command, timeout_s=timeout_s)
        text = bound(see(ran.output).text.rstrip("\n"), self.shown, tail=0.6)
        ending = _ending(ran, timeout_s)
        return Done(
            text="\n".join(part for part in (text, ending) if part),
            call=Call(tool=call.tool, argument=call.argument, exit_code=ran.exit_code),
            ok=ran.ended is Ended.EXITED,
        )

    def _search(self, action: Search) -> Done:
        call = Call(
            tool="search", argument=one_line(f"{action.pattern} in {action.path}", ARGUMENT)
        )
        path = self._relative(action.path)
        if path is None:
            return _outside(call, action.path)
        ran = self._run(inside.SEARCH, action.pattern, path, timeout_s=SEARCH_S)
        call = Call(tool=call.tool, argument=call.argument, exit_code=ran.exit_code)
        if ran.exit_code == 1:
            return Done(text="(nothing found)", call=call)
        if ran.ended is Ended.EXITED and ran.exit_code != 0:
            return Done(text=bound(see(ran.output).text.strip(), 500), call=call, ok=False)
        return Done(text=bound(_lines_found(ran.output), self.shown, tail=0), call=call)

    def _file(self, action: Read | Write | Edit | Insert | Delete) -> Done:
        tool = type(action).__name__.lower()
        call = Call(tool=tool, argument=one_line(action.path, ARGUMENT))
        path = self._relative(action.path)
        if path is None:
            return _outside(call, action.path)
        if not isinstance(action, Read):
            refused = _refused(call, self.bench.may_write(path), path)
            if refused:
                return refused
        try:
            return Done(text=self._touch(action, path), call=call)
        except Refused as why:
            return Done(text=str(why), call=call, ok=False)

    def _touch(self, action: Read | Write | Edit | Insert | Delete, path: str) -> str:
        files = Files(self.bench, self.seconds_left)
        match action:
            case Read():
                return files.show(path, first=action.first, last=action.last, limit=self.shown)
            case Write():
                content = action.content.encode(errors="replace")
                files.write(path, content)
                return f"{path} is written: {len(content):,} bytes."
            case Edit():
                return f"{path} is changed:\n{files.edit(path, action.old, action.new)}"
            case Insert():
                return f"{path} is changed:\n{files.insert(path, action.line, action.text)}"
            case Delete():
                files.delete(path)
                return f"{path} is deleted."

    def _relative(self, path: str) -> str | None:
        return relative(path, root=PurePosixPath(self.bench.view.at))

    def _run(self, script: str, *arguments: str, timeout_s: float) -> Ran:
        return self.bench.jail.run(
            ("sh", "-c", script, "jam", *arguments),
            view=self.bench.view,
            limits=Limits(timeout_s=timeout_s),
            stop=self.bench.stop,
        )


def _refused(call: Call, decided: tuple[str, str], what: str) -> Done | None:
    decision, why = decided
    if decision == "allow":
        return None
    said = Call(tool=call.tool, argument=call.argument, decision=decision, why=why)
    if decision == "ask":
        text = f"Not done yet: a person is asked first ({why}): {one_line(what, ARGUMENT)}"
    else:
        text = f"Not allowed here: {why}."
    return Done(text=text, call=said, ok=False)


def _outside(call: Call, path: str) -> Done:
    why = "the path is outside of the checkout"
    said = Call(tool=call.tool, argument=call.argument, decision="deny", why=why)
    text = f"Not allowed here: {one_line(path, ARGUMENT)} is no path inside of the checkout."
    return Done(text=text, call=said, ok=False)


def _ending(ran: Ran, timeout_s: float) -> str:
    match ran.ended:
        case Ended.EXITED:
            return f"[exit code {ran.exit_code}]"
        case Ended.TIMED_OUT:
            return f"[ended after {timeout_s:.0f} s; all that it had started is dead]"
        case Ended.FLOODED:
            return f"[ended: too much output, {ran.output_bytes:,} bytes]"
        case Ended.STOPPED:
            return "[ended: the session is being stopped]"
        case Ended.NOT_STARTED:
            return "[it could not be started]"


def _lines_found(output: str) -> str:
    """Blanks stay as they are: an edit has to match them."""
    lines = output.splitlines()
    shown = [see(line.removeprefix("./")).text for line in lines[:FOUND]]
    cut = [line if len(line) <= WIDEST else f"{line[:WIDEST]}…" for line in shown]
    more = len(lines) - FOUND
    return "\n".join([*cut, *([f"… and {more:,} more lines"] if more > 0 else [])])


def _timed(call: Call, seconds: float) -> Call:
    return Call(
        tool=call.tool,
        argument=call.argument,
        decision=call.decision,
        why=call.why,
        exit_code=call.exit_code,
        seconds=round(seconds, 3),
    )


def _line(call: Call) -> str:
    """For a person: what was done, or that it was not."""
    refused = "" if call.decision == "allow" else f" ({call.decision}: {call.why})"
    return f"{call.tool} {one_line(call.argument, 100)}{refused}".strip()
