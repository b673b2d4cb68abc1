"""
Any coding program as an agent: ``command:CMD`` runs ``sh -c CMD`` in the workcopy, in the sandbox.

One run is one turn, and every end of it asks for judgement, whatever the exit code says: the
oracle decides. What it is told comes on standard input and in files; what it says is only kept.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bot.agents.means import Means
from bot.agents.way_out import Way, WayOut
from bot.core import prompt
from bot.core.proxied import TOOL
from bot.core.visible import bound, one_line, see
from bot.errors import AgentUnusable
from bot.ports import Bench, Bind, Brief, Call, Ended, Limits, Ran, Remaining, TurnDone, View, Wish

AT = Path("/jam")  # where the files are seen
SAID = 4_000  # characters of the output's end
CANNOT_START = frozenset((126, 127))


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAgent:
    command: str
    clock: Callable[[], float]
    way_out: WayOut | None = None  # None: it reaches nothing but this machine's loopback

    @property
    def name(self) -> str:
        return "command"

    def turn(
        self,
        brief: Brief,
        bench: Bench,
        *,
        history: Sequence[bytes],
        feedback: str,
        remaining: Remaining,
    ) -> TurnDone:
        decision, why = bench.may_run(self.command)
        shown = one_line(self.command, 300)
        if decision != "allow":
            call = Call(tool="command", argument=shown, decision=decision, why=why)
            wish = Wish.ASK if decision == "ask" else Wish.GIVE_UP
            return TurnDone(wish=wish, said=f"{why}: {shown}", calls=(call,))
        bench.say(f"command {shown}")
        with self._way(bench) as way:
            told, seconds = _told(brief, feedback), max(1.0, remaining.seconds)
            ran = self._run(told, bench, way, timeout_s=seconds)
            asked = _asked(way)
        call = Call(
            tool="command", argument=shown, exit_code=ran.exit_code, seconds=round(ran.seconds, 3)
        )
        wish, said = _wish(ran, shown)
        memory = json.dumps({"runs": len(history) + 1, "exit_code": ran.exit_code}).encode()
        return TurnDone(wish=wish, said=said, memory=memory, calls=(call, *asked))

    @contextmanager
    def _way(self, bench: Bench) -> Iterator[Way | None]:
        if self.way_out is None:
            yield None
            return
        with self.way_out.open(bench.jail) as way:
            yield way

    def _run(self, told: dict[str, str], bench: Bench, way: Way | None, *, timeout_s: float) -> Ran:
        with tempfile.TemporaryDirectory(prefix="jam-told-") as folder:
            laid = _laid(told, Path(folder))
            argv: Sequence[str] = ("sh", "-c", self.command)
            view = _seen(bench.view, laid)
            if way is not None:
                argv, view = way.lead(argv, view)
            return bench.jail.run(
                argv,
                view=view,
                limits=Limits(timeout_s=timeout_s),
                stdin="\n\n".join(
                    part for part in (told["objective.md"], told["feedback.md"]) if part
                ).encode(errors="replace"),
                stop=bench.stop,
            )


def make(means: Means) -> CommandAgent:
    if not means.argument.strip():
        raise AgentUnusable("the command agent needs a command: --agent 'command:CMD'")
    return CommandAgent(command=means.argument, clock=means.clock, way_out=means.way_out)


def _asked(way: Way | None) -> tuple[Call, ...]:
    """What went through the proxy, one call for each host."""
    return tuple(
        Call(
            tool=TOOL,
            argument=used.host,
            decision="deny" if used.refused else "allow",
            why=used.told,
        )
        for used in (way.used() if way else ())
    )


def _told(brief: Brief, feedback: str) -> dict[str, str]:
    return {
        "objective.md": prompt.errand(brief),
        "feedback.md": feedback,
        "targets.txt": "".join(f"{target}\n" for target in brief.targets),
    }


def _laid(told: dict[str, str], folder: Path) -> dict[str, Path]:
    """Files that whoever commands run as may read."""
    folder.chmod(0o755)
    for name, content in told.items():
        path = folder / name
        path.write_text(content, encoding="utf-8", errors="replace")
        path.chmod(0o644)
    return {name: folder / name for name in told}


def _seen(view: View, laid: dict[str, Path]) -> View:
    """``JAM_OBJECTIVE``, ``JAM_FEEDBACK`` and ``JAM_TARGETS`` name the files where they are seen;
    a jail that cannot lay binds puts the names on this machine in their place."""
    binds = tuple(Bind(path, AT / name) for name, path in laid.items())
    names = {f"JAM_{Path(name).stem.upper()}": str(AT / name) for name in laid}
    return replace(view, binds=(*view.binds, *binds), env={**view.env, **names})


def _wish(ran: Ran, shown: str) -> tuple[Wish, str]:
    said = bound(see(ran.output).text.strip(), SAID, tail=1)
    match ran.ended:
        case Ended.EXITED if ran.exit_code in CANNOT_START:
            return Wish.GIVE_UP, _with(said, f"The command cannot be started: {shown}")
        case Ended.EXITED if ran.exit_code == 0:
            return Wish.FINISH, said
        case Ended.EXITED:
            return Wish.FINISH, _with(said, f"The command ended with exit code {ran.exit_code}.")
        case Ended.TIMED_OUT:
            return Wish.FINISH, _with(said, "The command was ended: its time was over.")
        case Ended.FLOODED:
            return Wish.FINISH, _with(said, "The command was ended: too much output.")
        case Ended.STOPPED:
            return Wish.GIVE_UP, _with(said, "The command was ended: the session is being stopped.")
        case Ended.NOT_STARTED:
            return Wish.GIVE_UP, _with(said, f"The command cannot be started: {shown}")


def _with(said: str, ending: str) -> str:
    return f"{said}\n{ending}" if said else ending
