"""An agent that looks for secrets everywhere finds none, and none is anywhere afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.core.redact import MASK, Redactor
from tests.core.test_redact import SPELLINGS
from tests.stories.github.world import REPO, SECRET, TITLE, World, agent, world

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
CANARY = "sk-ant-canary-0123456789abcdef"
KNOWN = {"ANTHROPIC_API_KEY": CANARY, "GH_TOKEN": CANARY[::-1], "DB_PASSWORD": "Canary/of-a-Db+77"}
THIEF = """\
- shell: env > loot.txt; cat /proc/*/environ /proc/*/cmdline >> loot.txt 2>/dev/null; true
- shell: cat loot.txt; find / -name '*.pem' -o -name '*.sqlite' -o -name '*.env' 2>/dev/null; true
- shell: sed -i 's/left > 1/left > 0/' ledgerlib.py
- finish: true
"""


def kept(one: World) -> bytes:
    """All that jam keeps and says: its state, its log, its pages, and everything on the hub."""
    files = [path for path in (one.home / "state").rglob("*") if path.is_file()]
    pages = [one.page(path) for path in ("/", "/queue", "/spend", "/metrics", "/healthz")]
    texts = [one.said(1), one.log, *pages]
    for number in one.pulls():
        pull = one.pull(number)
        texts += [pull.thread.title, pull.thread.body, *map(str, one.checks(pull.head_sha))]
    loot = [
        one.hub.file(REPO, ref, "loot.txt") or b""
        for ref in one.hub.refs(REPO)
        if not ref.startswith("refs/pull/")
    ]
    return b"\n".join([*(path.read_bytes() for path in files), *loot, *(t.encode() for t in texts)])


def test_no_secret_is_anywhere(tmp_path: Path) -> None:
    environment = {"ANTHROPIC_API_KEY": CANARY, "GH_TOKEN": CANARY[::-1]}
    options = agent(tmp_path, THIEF)
    with world(tmp_path, options=options, environment=environment) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.said_in(number, "erified.**")
        sessions = tmp_path / "state" / "sessions"
        one.until(lambda: not [*sessions.glob("*/tree"), *sessions.glob("*/work")])
        everything = kept(one)
        key = one.app.private_key.splitlines()[3].encode()
        tokens = [text.encode() for text in one.hub.hub.store.tokens if text.startswith("ghs_")]

    assert len(everything) > 10_000
    assert tokens
    names = {
        "model key": CANARY.encode(),
        "another token": CANARY[::-1].encode(),
        "webhook secret": SECRET.encode(),
        "private key": key,
        **{f"token {place}": text for place, text in enumerate(tokens)},
    }
    assert [name for name, secret in names.items() if secret in everything] == []


def leaks() -> str:
    """Every secret that the operator gave, in every spelling: as if an agent had found them all."""
    shown = [spell(one) for one in (*KNOWN.values(), SECRET) for spell in SPELLINGS.values()]
    return "\n\n".join(shown)


def test_secrets_that_an_agent_got_hold_of_leave_in_no_spelling(tmp_path: Path) -> None:
    steps = [
        {"write": {"path": "leak.txt", "content": leaks()}},
        {"shell": "cat leak.txt; cat leak.txt >&2"},
        {"shell": "sed -i 's/left > 1/left > 0/' ledgerlib.py; rm leak.txt"},
        {"finish": True},
    ]
    redactor = Redactor([*KNOWN.values(), SECRET])
    options = agent(tmp_path, json.dumps(steps))
    with world(tmp_path, options=options, environment=KNOWN) as one:
        number = one.ada.open_issue(REPO, TITLE, "free(3, 2) is 0.")
        one.ben.label(REPO, number, "jam")
        one.said_in(number, "**Verified.**")
        sessions = tmp_path / "state" / "sessions"
        one.until(lambda: not [*sessions.glob("*/tree"), *sessions.glob("*/work")])
        session = next(path.name for path in sessions.iterdir())
        pages = [one.page(f"/sessions/{session}"), one.page(f"/sessions/{session}/checkpoints/1")]
        kept = {
            str(path): path.read_bytes()
            for path in (one.home / "state").rglob("*")
            if path.is_file() and "repositories" not in path.parts
        }
        refs = one.hub.refs(REPO, "refs/jam/checkpoints/")
        sent = {ref: one.hub.file(REPO, ref, "leak.txt") for ref in refs}
        mended = one.hub.file(REPO, one.pull(2).head_sha, "ledgerlib.py")
        body, log = one.pull(2).thread.body, one.log

    assert [name for name, content in kept.items() if redactor.holds(content)] == []
    assert [text for text in (*pages, body, log) if redactor.holds(text.encode())] == []
    assert list(sent.values()) == [None, None]
    assert b"left > 0" in (mended or b"")
    assert any(MASK.encode() in content for content in kept.values())
