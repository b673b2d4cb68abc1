"""
``jam demo``: the bundled example, on a small GitHub of its own or, with ``--local``, without one.
"""

from __future__ import annotations

from threading import Event

from bot.adapters import example
from bot.app.requests import Answer, DemoRequest, FixRequest, FlakyRequest
from bot.errors import RequestError
from bot.ports import Say
from bot.wiring.working import fix

LONG = 10
"""Minutes that the search may take on a slow machine; it ends by itself in one or two."""


def demo(request: DemoRequest, *, say: Say, stop: Event) -> Answer:
    if request.flaky:
        return _flaky(request, say=say, stop=stop)
    if not request.local:
        return _whole(request, say=say, stop=stop)
    if request.wait:
        raise RequestError("--wait keeps the pages of a forge up, and --local has none")
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


def _flaky(request: DemoRequest, *, say: Say, stop: Event) -> Answer:
    """Found, proven, explained, mended and proven again."""
    from bot.wiring.flaky_search import flaky

    laid = example.lay(request.into, name=example.FLAKY)
    say(f"a repository with flaky tests: {laid.repo}")
    wanted = FlakyRequest(
        repo=laid.repo,
        fix=True,
        minutes=LONG,
        agent=request.agent,
        sandbox=request.sandbox,
        report=request.into / "flaky.html",
    )
    answer = flaky(wanted, say=say, stop=stop)
    say(f"the mends are on branches: git -C {laid.repo} branch")
    return answer


def _whole(request: DemoRequest, *, say: Say, stop: Event) -> Answer:
    """Its packages are extras, and slow to import."""
    try:
        from bot.wiring import story
    except ModuleNotFoundError as missing:
        raise RequestError(
            f"the demo needs {missing.name}: pip install 'jam[app,minihub]'; or `jam demo --local`"
        ) from missing
    return story.tell(request, say=say, stop=stop)
