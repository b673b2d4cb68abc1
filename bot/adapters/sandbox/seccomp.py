"""
Which doors of the kernel are shut to a jail, as a program for seccomp.

It refuses what no test suite needs and what has let programs out of jails before: new user
namespaces, io_uring, the key ring, tracing of the whole machine, and sockets that no network
namespace confines. Everything else stays open.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass

NEW_USER_NAMESPACE = 0x10000000  # CLONE_NEWUSER
X32_BIT = 0x40000000
CLONE3 = 435

# offsets of struct seccomp_data
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16

LOAD_WORD = 0x20
JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_ANY_BIT = 0x15, 0x35, 0x45
RETURN = 0x06
ALLOW = 0x7FFF0000
REFUSE = 0x00050000  # with an errno in the low bits

# A virtual machine's host listens on vsock; the others are kernel interfaces, not networks.
FAMILIES = (38, int(getattr(socket, "AF_VSOCK", 40)), 44)  # alg, vsock, xdp


@dataclass(frozen=True, slots=True)
class Machine:
    """``audit``: how the kernel calls this architecture in a filter's data."""

    audit: int
    refused: Mapping[str, int]
    clone: int
    unshare: int
    socket: int


# The same everywhere; programs know how to do without, so they are told that it does not exist.
ABSENT = (CLONE3, 425, 426, 427)  # clone3 hides its flags from a filter; io_uring_*

MACHINES = {
    "x86_64": Machine(
        audit=0xC000003E,
        refused={
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "perf_event_open": 298,
            "bpf": 321,
            "userfaultfd": 323,
            "setns": 308,
        },
        clone=56,
        unshare=272,
        socket=41,
    ),
    "aarch64": Machine(
        audit=0xC00000B7,
        refused={
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "perf_event_open": 241,
            "bpf": 280,
            "userfaultfd": 282,
            "setns": 268,
        },
        clone=220,
        unshare=97,
        socket=198,
    ),
}


def program(machine_name: str) -> bytes | None:
    """``None`` for a machine whose numbers are not known here."""
    machine = MACHINES.get(machine_name)
    if machine is None:
        return None
    steps = [
        _load(ARCHITECTURE),
        # Programs of another architecture would come in under other numbers.
        *_unless(JUMP_IF_EQUAL, machine.audit, errno.ENOSYS),
        _load(NUMBER),
    ]
    if machine_name == "x86_64":
        steps += _when(JUMP_IF_AT_LEAST, X32_BIT, errno.ENOSYS)
    for number in ABSENT:
        steps += _when(JUMP_IF_EQUAL, number, errno.ENOSYS)
    for number in machine.refused.values():
        steps += _when(JUMP_IF_EQUAL, number, errno.EPERM)
    for number in (machine.clone, machine.unshare):
        flags = _when(JUMP_IF_ANY_BIT, NEW_USER_NAMESPACE, errno.EPERM)
        steps += _if_call(number, flags)
    families = [
        step for family in FAMILIES for step in _when(JUMP_IF_EQUAL, family, errno.EAFNOSUPPORT)
    ]
    steps += _if_call(machine.socket, families)
    return b"".join((*steps, _step(RETURN, ALLOW)))


def _step(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _load(offset: int) -> bytes:
    return _step(LOAD_WORD, offset)


def _when(test: int, value: int, error: int) -> list[bytes]:
    return [_step(test, value, otherwise=1), _step(RETURN, REFUSE | error)]


def _unless(test: int, value: int, error: int) -> list[bytes]:
    return [_step(test, value, then=1), _step(RETURN, REFUSE | error)]


def _if_call(number: int, checks: list[bytes]) -> list[bytes]:
    """``checks`` look at the first argument; the call's number is loaded again after them."""
    body = [_load(FIRST_ARGUMENT), *checks, _load(NUMBER)]
    return [_step(JUMP_IF_EQUAL, number, otherwise=len(body)), *body]
