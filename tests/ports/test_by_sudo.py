from __future__ import annotations

from bot.adapters.sandbox import by_sudo


def test_no_value_but_the_path_stands_on_the_command_line() -> None:
    environment = {"PATH": "/opt/py/bin:/usr/bin", "JAM_TOKEN": "ghs_secret", "ODD-NAME": "x"}

    assert by_sudo.argv("/usr/bin/sudo", ["/opt/py/bin/python", "-P", "x.py"], environment) == (
        "/usr/bin/sudo", "-n", "--preserve-env=JAM_TOKEN,PATH", "--",
        "/usr/bin/env", "PATH=/opt/py/bin:/usr/bin", "/opt/py/bin/python", "-P", "x.py",
    )  # fmt: skip
