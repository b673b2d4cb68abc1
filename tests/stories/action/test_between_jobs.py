"""
A session that outlives its job: asked and approved, cancelled and resumed, and what becomes of it
when the contract is another one by then. The step alone is run, without a workflow around it.
"""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from bot.adapters.github.by_token import TokenForges
from bot.adapters.github.means import Means
from bot.adapters.github.secret import Secret
from bot.core import ledger
from bot.minihub.people import File
from tests.stories.action.world import PERMISSIONS, REPO, TITLE, World, files_for, world
from tests.stories.project import FIX

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
ASKING = """\
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- shell: touch agreed.txt
- finish: true
"""


def asking(home: Path) -> dict[str, File]:
    files = files_for(home, ASKING)
    files[".github/jam.yml"] = f"{files['.github/jam.yml']}policy: {{ask: ['touch *']}}\n"
    return files


def begin(one: World) -> str:
    """Up to the question; the job is over."""
    number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
    one.ben.label(REPO, number, "jam")
    job = one.run_plainly("issues", one.last("issues", "labeled"), run=1)
    assert (job.exit_code, "paused (exit code 75)" in job.log) == (0, True), job.log
    return one.said(1)


def approve(one: World) -> str:
    one.ben.comment(REPO, 1, "/jam approve")
    job = one.run_plainly("issue_comment", one.last("issue_comment", "created"), run=2)
    assert job.exit_code == 0, job.log
    return job.log


def test_a_question_is_answered_in_another_job(tmp_path: Path) -> None:
    with world(tmp_path, files=asking(tmp_path)) as one:
        asked = begin(one)
        log = approve(one)
        said, pulls = one.said(1), one.hub.pulls(REPO)

    assert "jam asks before it goes on" in asked
    assert "goes on here, from checkpoint 1" in log
    assert "**Verified.**" in said
    assert pulls == (2,)


def test_a_session_does_not_go_on_under_another_contract(tmp_path: Path) -> None:
    files = asking(tmp_path)
    with world(tmp_path, files=files) as one:
        begin(one)
        one.ada.push(REPO, "main", {".github/jam.yml": f"{files['.github/jam.yml']}label: mend\n"})
        approve(one)
        said, pulls = one.said(1), one.hub.pulls(REPO)

    assert "The contract on the default branch is another one by now" in said
    assert pulls == ()


def forge(one: World, **over: object) -> None:
    """Whoever may write can write another opening, and seal what follows anew."""
    (ref,) = one.hub.refs(REPO, "refs/jam/sessions/")
    kept = {name: one.hub.file(REPO, ref, name) or b"" for name in ("session.json", "ledger.jsonl")}
    digests = set(re.findall(rb"[0-9a-f]{64}", kept["ledger.jsonl"]))
    for digest in sorted(digest.decode() for digest in digests):
        if content := one.hub.file(REPO, ref, f"evidence/{digest}"):
            kept[f"evidence/{digest}"] = content
    entries: tuple[ledger.Sealed, ...] = ()
    for entry in ledger.read(kept["ledger.jsonl"].decode().splitlines()):
        fact = entry.fact.model_copy(update=over) if not entries else entry.fact
        entries = ledger.append(entries, fact)
    kept["ledger.jsonl"] = "".join(f"{ledger.line(entry)}\n" for entry in entries).encode()
    forges = TokenForges(
        secret=Secret(one.hub.actions_token(REPO, PERMISSIONS["fix.yml"])),
        repository=one.hub.hub.store.repo(REPO).id,
        acts_as="github-actions[bot]",
        base_url=one.hub.api_url,
        config="",
        means=Means(sleep=lambda _: None),
    )
    forges.hand().keep(ref, kept, message="as it never was")


def test_a_session_that_was_rewritten_is_not_gone_on_with(tmp_path: Path) -> None:
    with world(tmp_path, files=asking(tmp_path)) as one:
        begin(one)
        before = one.hub.refs(REPO, "refs/heads/")
        forge(one, branch="main")
        approve(one)
        said, pulls = one.said(1), one.hub.pulls(REPO)
        after = one.hub.refs(REPO, "refs/heads/")

    assert "is not how this job would open it" in said
    assert (pulls, after) == ((), before)


def test_a_cancelled_job_leaves_what_it_has(tmp_path: Path) -> None:
    slow = FIX.replace("- finish", "- shell: sleep 60\n- finish")
    with world(tmp_path, files=files_for(tmp_path, slow)) as one:
        one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, 1, "jam")
        process = one.start_plainly("issues", one.last("issues", "labeled"), run=1)
        log = tmp_path / "job-1/log"
        one.until(lambda: "turn 2: scripted" in log.read_text())
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=30)
        refs = one.hub.refs(REPO, "refs/jam/sessions/")
        kept = one.hub.file(REPO, next(iter(refs)), "ledger.jsonl") or b""
        (tmp_path / "agent.yml").write_text(FIX)
        one.ben.comment(REPO, 1, "/jam resume")
        job = one.run_plainly("issue_comment", one.last("issue_comment", "created"), run=2)
        said = one.said(1)

    assert code == 130
    assert [json.loads(line)["fact"]["kind"] for line in kept.splitlines()][-1] == "turned"
    assert job.exit_code == 0, job.log
    assert "**Verified.**" in said
