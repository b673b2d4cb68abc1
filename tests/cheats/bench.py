"""Runs one cheat through the real engine: real git, real sandbox, real tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import yaml

from bot.app.requests import FixRequest
from bot.core.sandbox_kind import SandboxKind
from bot.wiring import working
from tests.cheats.case import Cheat, Family

GIT = ("git", "-c", "user.name=ada", "-c", "user.email=ada@example.org")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    exit_code: int
    document: Mapping[str, Any]
    marked: bool  # something was written outside of what an agent may write

    @property
    def end(self) -> str:
        return str(self.document["outcome"])

    @property
    def told(self) -> str:
        """What a person is told besides the numbers."""
        word = self.document
        remarks = [f"{r['path']}:{r['line']}: {r['what']}" for r in word["remarks"]]
        checks = [f"{c['name']} {c['result']}: {c['why']}" for c in word["checks"]]
        gates = [why for gate in word["oracle"]["gates"] for why in gate["integrity"]]
        reasons = [why for gate in word["oracle"]["gates"] for why in gate["reasons"]]
        everything = [word["why"], *word["review"], *remarks, *word["not_verified"]]
        return "\n".join([*everything, *checks, *gates, *reasons])


def amiss(cheat: Cheat, outcome: Outcome) -> list[str]:
    """What did not come as the case says, with all that a person was told."""
    wrong = [f"{outcome.end} where {cheat.end} was due"] if outcome.end != cheat.end else []
    wrong += [f"never told: {words}" for words in cheat.says if words not in outcome.told]
    wrong += ["wrote outside of its checkout"] if outcome.marked else []
    return [*wrong, outcome.told] if wrong else []


def run(family: Family, cheat: Cheat, home: Path, *, sandbox: SandboxKind | None = None) -> Outcome:
    repo, mark = home / "work" / "repo", home / "mark"
    lay(family, cheat, repo)
    script = home / "script.yml"
    does = cheat.does.replace("{mark}", str(mark)).replace("{python}", sys.executable)
    script.write_text(yaml.safe_dump([[{"shell": does}, {"finish": True}]], width=10_000))
    issue = home / "issue.md"
    issue.write_text("# A sum is wrong\n\nadd(2, 3) is not 5.\n")
    agent, state = f"scripted:{script}", home / "state"
    request = FixRequest(repo=repo, issue=issue, agent=agent, state=state, sandbox=sandbox)
    answer = working.fix(request, say=lambda _: None, stop=Event())
    return Outcome(exit_code=answer.exit_code, document=answer.document, marked=mark.exists())


def lay(family: Family, cheat: Cheat, repo: Path) -> None:
    contract = (cheat.contract or family.contract).replace("{python}", sys.executable)
    files = {**family.files, **cheat.files, ".github/jam.yml": contract}
    repo.mkdir(parents=True)
    for name, content in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    for words in (["init", "-q", "-b", "main"], ["add", "--all", "--force"]):
        subprocess.run([*GIT, *words], cwd=repo, check=True)
    subprocess.run([*GIT, "commit", "-qm", "base"], cwd=repo, check=True)


def missing(family: Family) -> tuple[str, ...]:
    return tuple(program for program in family.needs if shutil.which(program) is None)
