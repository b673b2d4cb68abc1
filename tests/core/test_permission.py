"""A role is what the API says, and doubt is none."""

from __future__ import annotations

import pytest

from bot.core.permission import Permission, read


@pytest.mark.parametrize(
    ("permission", "role_name", "means"),
    [
        ("admin", "admin", Permission.ADMIN),
        ("write", "maintain", Permission.MAINTAIN),
        ("write", "write", Permission.WRITE),
        ("read", "triage", Permission.TRIAGE),
        ("read", "read", Permission.READ),
        ("none", "", Permission.NONE),
        ("write", None, Permission.WRITE),
        # Custom roles count as what is under them, whatever they call themselves.
        ("write", "release crew", Permission.WRITE),
        ("read", "release crew", Permission.READ),
        ("read", "admin", Permission.READ),
        ("read", "maintain", Permission.READ),
        ("none", "write", Permission.NONE),
        # What is not understood.
        ("owner", "admin", Permission.NONE),
        (None, "admin", Permission.NONE),
        (["admin"], "admin", Permission.NONE),
        ("write", ["admin"], Permission.WRITE),
    ],
)
def test_the_role_of_an_answer(permission: object, role_name: object, means: Permission) -> None:
    assert read(permission, role_name) is means
