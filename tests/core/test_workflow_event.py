from __future__ import annotations

import pytest

from bot.core import workflow_event


@pytest.mark.parametrize("event", workflow_event.HEARD)
def test_events_that_jam_acts_on(event: str) -> None:
    assert workflow_event.unheard(event) == ""


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ("pull_request_target", "secrets"),
        ("pull_request", "`/jam verify`"),
        ("check_run", "`workflow_run`"),
        ("check_suite", "`workflow_run`"),
        ("push", "`workflow_run`"),
        ("gollum", "does not know"),
    ],
)
def test_others_are_refused_with_the_reason(event: str, why: str) -> None:
    said = workflow_event.unheard(event)

    assert said.startswith(f"jam's Action does not run on {event!r}: ")
    assert why in said
