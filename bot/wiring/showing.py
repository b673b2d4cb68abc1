"""
``jam demo``: the bundled example, laid out as a repository of its own and mended.
"""

from __future__ import annotations

from threading import Event

from bot.adapters import example
from bot.app.requests import Answer, DemoRequest, FixRequest
from bot.ports import Say
from bot.wiring.working import fix


def demo(request: DemoRequest, *, say: Say, stop: Event) -> Answer:
    laid = example.lay(request.into)
    say(f"a repository with a bug: {laid.repo}")
    return fix(
        FixRequest(
            repo=laid.repo,
            issue=laid.issue,
            agent=request.agent,
            sandbox=request.sandbox,
        ),
        say=say,
        stop=stop,
    )
