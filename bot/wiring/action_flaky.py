"""
The scheduled search of a job: runs of foreign code in processes that know no token, and what comes
of them at GitHub by this one, which runs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.adapters import artifact, own_command
from bot.adapters.github.by_token import WorkflowForge
from bot.adapters.github_publisher import GithubPublisher
from bot.adapters.own_command import Said
from bot.adapters.repository import Repository as LocalRepository
from bot.adapters.repository import open_repository
from bot.adapters.store import Store
from bot.adapters.workcopy import GitWorkcopy, open_workcopy
from bot.app.flaky import ci_runs, remember
from bot.app.flaky.scheduled import Mended, Scheduled
from bot.app.flaky.setting_aside import Change, SettingAside
from bot.app.github import contracts
from bot.core import action_report, ledger
from bot.core.contract import Contract
from bot.core.flaky import evidence
from bot.core.flaky.finding import Finding
from bot.core.flaky.search_report import SearchReport
from bot.core.redact import Redactor
from bot.core.session import replay
from bot.core.words import many_of
from bot.errors import RequestError, TransientError
from bot.ports import Say
from bot.wiring import local
from bot.wiring.action_settings import ActionSettings
from bot.wiring.settings import Settings

MINUTES, MORE_S = 30.0, 1200.0
"""How long is searched where nobody says, and what setting up may take besides."""
SESSION = "scheduled-flaky"


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    exit_code: int
    summary: str
    pull_url: str = ""
    session: str = ""


@dataclass(slots=True, kw_only=True)
class Search:
    """``forge``: made when it is needed; None where the job was given no token."""

    told: ActionSettings
    mine: Settings
    forge: Callable[[], WorkflowForge] | None
    default_branch: str
    say: Say
    session: str = ""
    pull_url: str = ""
    lines: list[str] = field(default_factory=list)  # what was done, as far as it came
    bodies: dict[str, bytes] = field(default_factory=dict)

    def run(self) -> Came:
        page = self.told.folder / "flaky.html"
        minutes = self.told.narrowing.seconds / 60 or MINUTES
        said = self._ask(
            ["--report", str(page), "--budget", f"{minutes:g}", *self._history()],
            out="flaky.json",
            seconds=60 * minutes,
        )
        code = said.exit_code
        try:
            self._at_github(said.document)
        except (RequestError, TransientError) as error:
            self.lines.append(f"GitHub was not told all of this: {error}")
            code = error.exit_code
        for line in self.lines:
            self.say(line)
        text = action_report.flaky(said.document, self.lines)
        self._lay(said, text, page)
        return Came(exit_code=code, summary=text, pull_url=self.pull_url, session=self.session)

    def _history(self) -> list[str]:
        """What CI saw waver, laid out for the search: it is looked at first."""
        if self.forge is None:
            return []
        try:
            known = remember.files(ci_runs.of(self.forge()))
        except (RequestError, TransientError) as error:
            self.say(f"note: CI's own runs were not looked at: {error}")
            return []
        if not known:
            return []
        folder = self.told.folder / "history"
        artifact.lay(
            folder, {str(path): content for path, content in known.items()}, redactor=Redactor(())
        )
        self.say(f"{many_of(len(known), 'job')} of CI failed and passed on one commit")
        return ["--history", str(folder)]

    def _ask(
        self, words: list[str], *, out: str, seconds: float, env: Mapping[str, str] | None = None
    ) -> Said:
        told = self.told
        words = ["flaky", "--repo", str(told.workspace), "--json", *words]
        words += ["--state", str(told.folder / "state")]
        words += ["--oracle", told.narrowing.oracle] if told.narrowing.oracle else []
        words += ["--config", str(told.workspace / told.config)] if told.config else []
        plain = {"PATH": self.mine.path, "HOME": str(self.mine.home), **self.mine.network}
        return own_command.ask(
            words,
            env={**plain, **(env or {})},
            out=told.folder / out,
            timeout_s=seconds + MORE_S,
        )

    def _lay(self, said: Said, text: str, page: Path) -> None:
        artifact.lay(
            self.told.folder / "artifact",
            {
                "summary.md": text.encode(),
                "flaky.json": json.dumps(said.document, indent=1).encode(),
                "talk.txt": said.talk.encode(),
                **({"flaky.html": page.read_bytes()} if page.is_file() else {}),
                **self.bodies,
            },
            redactor=Redactor(
                tuple(one for one in (self.told.token, self.mine.anthropic_key) if one)
            ),
        )

    # at GitHub

    def _at_github(self, document: Mapping[str, Any]) -> None:
        if self.forge is None:
            return
        forge = self.forge()
        contract = contracts.read(forge).contract
        if contract.flaky.issues == "off" and contract.flaky.pulls == 0:
            return
        fields = {name: document[name] for name in SearchReport.model_fields if name in document}
        report = SearchReport.model_validate(fields)
        repository = open_repository(self.told.workspace)
        with self._workcopy(repository, report.commit) as workcopy:
            made = self._scheduled(forge, contract, report, repository, workcopy)
            try:
                made.run(report)
            finally:
                self.pull_url = made.pull_url

    @contextmanager
    def _workcopy(self, repository: LocalRepository, base: str) -> Iterator[GitWorkcopy]:
        """For changes that are made here, by reading and writing alone."""
        place = local.place_of(Store(self.told.folder / "state"), SESSION)
        with open_workcopy(
            repository, session=SESSION, base=base, place=place, adopt=lambda _: None
        ) as workcopy:
            yield workcopy

    def _scheduled(
        self,
        forge: WorkflowForge,
        contract: Contract,
        report: SearchReport,
        repository: LocalRepository,
        workcopy: GitWorkcopy,
    ) -> Scheduled:
        now = local.now()
        publisher = GithubPublisher(forge=forge, git=workcopy.git, base=report.commit)

        def commit(change: Change) -> str:
            return workcopy.commit(
                change.tree,
                parent=report.commit,
                message=f"test: {change.title}\n\n{change.marker.words}\n",
                at=int(now.timestamp()),
            )

        return Scheduled(
            forge=forge,
            policy=contract.flaky,
            prefix=contract.publish.branch_prefix,
            base=self.default_branch,
            aside=SettingAside(
                workcopy=workcopy, tree=repository.tree_of(report.commit), today=now.date()
            ),
            commit=commit,
            push=publisher.publish,
            mend=lambda finding: self._mend(finding, report, contract),
            today=now.date(),
            say=self.say,
            told=self.lines,
        )

    def _mend(self, finding: Finding, report: SearchReport, contract: Contract) -> Mended:
        """In a process of its own, which may hold the agent's key and never the token."""
        one = report.model_copy(update={"findings": (finding,)})
        path = self.told.folder / "cause.json"
        path.write_text(one.model_dump_json())
        key = self.mine.anthropic_key
        words = ["--found", str(path), "--fix"]
        words += ["--agent", self.told.agent] if self.told.agent else []
        self.say(f"mending {finding.test}")
        said = self._ask(
            words,
            out="mend.json",
            seconds=contract.budget.seconds,
            env={
                **({"ANTHROPIC_API_KEY": key} if key else {}),
                **(
                    {"ANTHROPIC_BASE_URL": self.mine.anthropic_url}
                    if self.mine.anthropic_url
                    else {}
                ),
            },
        )
        (mend,) = said.document["mends"]
        return self._mended(mend)

    def _mended(self, mend: Mapping[str, Any]) -> Mended:
        self.session = str(mend["session"])
        lines = Store(self.told.folder / "state").read(self.session)
        entries = ledger.read(lines)
        session = replay(entries)
        self.bodies = {
            "ledger.jsonl": "".join(f"{line}\n" for line in lines).encode(),
            "mend.md": evidence.render(entries).encode(),
        }
        published, word = session.published, session.adjudicated
        return Mended(
            outcome=session.ended.end if session.ended else "",
            why=word.why if word else "it did not come to an end",
            commit=published.commit if published else "",
            is_draft=published.draft if published else True,
            render=lambda number: evidence.render(entries, issue=number or None),
        )
