"""
Begins a command that may reach a few hosts: opens a port on the jail's own loopback, gives it to
jam through a socket, and becomes the command.

Whoever connects to the port speaks with jam's proxy, outside; nothing of this stays in the jail.
``jam_way_out.py SOCKET PORT COMMAND...``
"""

from __future__ import annotations

import os
import socket
import sys

PATIENCE_S = 20.0
CANNOT_START = 126


def main(door: str, port: str, *command: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as heard:
        heard.bind(("127.0.0.1", int(port)))
        heard.listen(64)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(PATIENCE_S)
            line.connect(door)
            socket.send_fds(line, [b"."], [heard.fileno()])
            if not line.recv(1):
                raise OSError("it was refused")
    os.execvp(command[0], command)  # noqa: S606  # the command is the agent's own


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.stderr.write(f"jam's proxy cannot be reached: {error}\n")
        sys.exit(CANNOT_START)
