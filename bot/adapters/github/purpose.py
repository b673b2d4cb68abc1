"""What a token is for, and the least that GitHub must allow it for that."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Purpose(StrEnum):
    WHO = "look around"
    READ = "read"
    INSPECT = "inspect"
    TALK = "talk"
    PULL = "pull"
    CHECK = "check"
    PUSH = "push"
    FETCH = "fetch"


PERMISSIONS: Mapping[Purpose, Mapping[str, str]] = {
    Purpose.WHO: {"metadata": "read"},
    Purpose.READ: {"contents": "read", "issues": "read", "pull_requests": "read"},
    Purpose.INSPECT: {"checks": "read", "actions": "read"},
    Purpose.TALK: {"issues": "write", "pull_requests": "write"},
    Purpose.PULL: {"pull_requests": "write"},
    Purpose.CHECK: {"checks": "write"},
    # Never ``workflows``: a change of those needs a person.
    Purpose.PUSH: {"contents": "write"},
    Purpose.FETCH: {"contents": "read"},
}
