"""
Errors, sorted by whose move is next.

Three families: the requester's to fix (told once, never retried), the world's to fix (tried again
later), nobody's to fix in place (trust is broken: freeze, and tell a person). Anything else is a
bug and keeps its traceback. Each carries the exit code of DESIGN's table of ends.
"""

from __future__ import annotations

import errno

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class JamError(Exception):
    """Something that jam can name."""

    exit_code = 70

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())


class RequestError(JamError):
    """The request cannot be carried out as it was made."""

    exit_code = 2


class TransientError(JamError):
    """The world is in the way just now; the same request may work later."""

    exit_code = 75


class TrustError(JamError):
    """What jam relies on does not hold; a person has to look."""

    exit_code = 5


class SpecError(RequestError):
    """The contract cannot be agreed. ``code`` is one of DESIGN's stable ``spec.*`` codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ReleaseImpossible(RequestError):
    """A test was to be released that cannot be."""


class NoTestLeft(SpecError):
    """The change deletes every test that this oracle runs: none is left to tell it from the base"""

    def __init__(self) -> None:
        super().__init__("spec.not_red", (self.__doc__ or "").strip())


class RepositoryUnusable(RequestError):
    """The repository cannot be worked on."""


class StateUnusable(RequestError):
    """jam's state folder cannot be used."""


class SandboxUnavailable(RequestError):
    """No sandbox works here."""


class NoSuchSession(RequestError):
    """There is no such session in this state folder."""


class AgentUnusable(RequestError):
    """The agent cannot be started as it was named."""


class SessionBusy(TransientError):
    """Another process is conducting this session."""


class BudgetBusy(TransientError):
    """Other sessions of the repository hold what is left of the day's budget."""


class Superseded(TransientError):
    """Another worker has this session by now."""


class GitFailed(TransientError):
    """git could not do what jam asked of it."""


class ModelUnavailable(TransientError):
    """The model's service did not answer."""


class ForgeRefused(RequestError):
    """GitHub does not permit it."""


class ForgeMissing(ForgeRefused):
    """GitHub has no such thing, or shows it to others only."""


class RefTaken(ForgeRefused):
    """The branch holds something else: jam moves nothing that it did not put there."""


class ClockWrong(TransientError):
    """The clock of this machine is wrong."""


class DiskFull(TransientError):
    """The disk of jam's machine is full."""

    @staticmethod
    def is_told_by(error: BaseException) -> bool:
        return isinstance(error, OSError) and error.errno in FULL


class ForgeUnavailable(TransientError):
    """GitHub cannot do it just now. ``retry_after``: seconds."""

    def __init__(self, message: str = "", *, retry_after: float = 60.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ForgeMistaken(TrustError):
    """GitHub holds something else than what jam gave it."""


class LedgerBroken(TrustError):
    """The ledger does not follow from itself."""


class StatementBroken(TrustError):
    """The statement is not what jam made of its ledger."""


class EvidenceMissing(TrustError):
    """Bytes that the ledger cites are missing or were changed."""
