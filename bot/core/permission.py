"""
What somebody may do in a repository, as the API says it at the time.

Decides which role an answer means and which role a request needs. Never looks at what a payload
claims about its sender: an association is not a permission.
"""

from __future__ import annotations

from enum import IntEnum


class Permission(IntEnum):
    """In order, so that roles compare."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5

    @property
    def word(self) -> str:
        return self.name.lower()


_ROLES = {role.word: role for role in Permission}
# The API folds two roles into their neighbours; ``role_name`` tells them apart again.
_FOLDED = {"maintain": "write", "triage": "read"}


def read(permission: object, role_name: object = None) -> Permission:
    """
    The role that ``GET collaborators/{login}/permission`` means. A custom role counts as the base
    role under it, and whatever is not understood counts as nothing.
    """
    base = _ROLES.get(permission, Permission.NONE) if isinstance(permission, str) else None
    if base is None or not isinstance(role_name, str):
        return base or Permission.NONE
    if _FOLDED.get(role_name, role_name) == permission:
        return _ROLES.get(role_name, base)
    return base
