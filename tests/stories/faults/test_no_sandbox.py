"""Where no sandbox works, the App works on nothing: it says so, and what would help."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.stories.faults.ground import CONTRACT, FILES, KEPT, MEND, ask, end_of, held
from tests.stories.github.world import agent, world

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
CLOSED = (
    *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c"),
    'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"',
)
UNJAILED = {**FILES, ".github/jam.yml": f"{CONTRACT}sandbox: {{kind: none}}\n"}


def test_without_user_namespaces_nothing_runs_and_the_remedy_is_told(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs to be root in a user namespace of its own")
    with world(tmp_path, files=FILES, options=agent(tmp_path, MEND), within=CLOSED) as one:
        number = ask(one)
        said = end_of(one, number)
        assert held(one, number, KEPT) == KEPT
        log = one.log

    assert "sudo sysctl -w user.max\\_user\\_namespaces=15000" in said
    assert "--sandbox none" not in said  # which is an option of another command
    assert "erified" not in said
    assert "judging" not in log
    assert "turn 1" not in log


def test_a_contract_that_wants_no_sandbox_is_not_enough(tmp_path: Path) -> None:
    with world(tmp_path, files=UNJAILED, options=agent(tmp_path, MEND)) as one:
        number = ask(one)
        said = end_of(one, number)
        assert held(one, number, KEPT) == KEPT
        log = one.log

    assert "works in none but a sandbox" in said
    assert "judging" not in log
