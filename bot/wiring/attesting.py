"""
Statements: made when a session has ended, and checked for whoever asks.

A ledger that is read back here is history. What it says is compared and told, and no session ever
goes on from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.adapters import keepsake, refs, signing
from bot.adapters.git import Git
from bot.adapters.keepsake import StateKeepsake
from bot.adapters.repository import Repository, open_repository
from bot.adapters.store import Store
from bot.app.attest import EVIDENCE, LEDGER, STATEMENT, Checked, attest, bundle, check
from bot.app.requests import Answer, AttestRequest, KeygenRequest
from bot.core import ledger, notice
from bot.core.attested import TRAILER, Committed, commit_of
from bot.core.ledger import Sealed
from bot.core.session import Session, replay
from bot.errors import LedgerBroken, RequestError
from bot.ports import Envelope, Signer
from bot.wiring.secrecy import redactor

ALL_BYTES = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Attesting:
    """How statements on the sessions of one store are made."""

    store: Store
    signer: Signer

    def statement(self, session: str, *, commit: str | None) -> bytes:
        return attest(
            self.entries(session),
            commit=commit,
            evidence=self.store,
            signer=self.signer,
            kept=self.kept(session),
        )

    def commit(self, session: str, *, made: bytes, git: Git, base: str) -> str | None:
        """What may be seen of it, in a git that has ``base``. None where nothing may."""
        lines = self.store.read(session)
        files = bundle(lines, made, evidence=self.store, withheld=redactor().holds)
        return keepsake.commit(git, files, session=session, base=base) if files else None

    def entries(self, session: str) -> tuple[Sealed, ...]:
        return ledger.read(self.store.read(session))

    def kept(self, session: str) -> StateKeepsake:
        return StateKeepsake(self.store.folder(session))

    def git(self, session: str) -> Git:
        """The session's own."""
        return Git(git_dir=self.store.folder(session) / "work" / "git")


def keep_here(attesting: Attesting, session: str, repository: Repository) -> dict[str, object]:
    """The statement beside the ledger; with what was published, a reference in the repository."""
    known = replay(attesting.entries(session))
    opened = known.opened
    assert opened is not None, "only what was opened has ended"  # noqa: S101
    made = attesting.statement(session, commit=_subject(known, repository))
    ref = refs.evidence_ref(session)
    is_there = refs.value(repository.references, ref) is not None
    if known.published and not is_there:
        git = attesting.git(session)
        commit = attesting.commit(session, made=made, git=git, base=opened.base)
        if is_there := commit is not None:
            repository.keep({ref: commit}, source=git, base=opened.base)
    return {
        "file": str(attesting.kept(session).path),
        "signed_by": list(signing.read(made).keys),
        "ref": ref if is_there else None,
    }


def _subject(session: Session, repository: Repository) -> str | None:
    """The commit that holds the judged tree: what was published, or what was only judged."""
    if session.published:
        return session.published.commit
    given, word = session.opened and session.opened.given, session.adjudicated
    if given and word and repository.tree_of(given) == word.head_tree:
        return given
    return None


def attest_keygen(request: KeygenRequest) -> Answer:
    key = signing.make_key(request.file)
    public = f"{request.file}.pub"
    return Answer(
        text=f"{request.file} signs when JAM_SIGNING_KEY names it; whoever checks needs {public}.",
        document={"key": key, "private": str(request.file), "public": public},
    )


def attest_verify(request: AttestRequest) -> Answer:
    repository = open_repository(request.repo) if request.repo else None
    files = _given(request, repository)
    envelope = signing.read(files[STATEMENT])
    checked = check(
        envelope,
        _lines(files),
        {n.rpartition("/")[2]: c for n, c in files.items() if n.startswith(f"{EVIDENCE}/")},
        look=_looking(repository) if repository else None,
    )
    wrong = [*_wrong_signature(request, files[STATEMENT]), *checked.wrong]
    if request.commit and repository and commit_of(checked.said) != _full(request, repository):
        wrong.append(f"the statement is about another commit: {commit_of(checked.said)}")
    lines = [] if wrong else list(_looked_at(request, envelope, checked))
    return Answer(
        text=notice.attested(checked.said, lines, wrong),
        document={
            "statement": checked.said,
            "signed_by": list(envelope.keys),
            "signature_checked": request.key is not None,
            "looked_at": lines,
            "broken": wrong,
        },
        exit_code=LedgerBroken.exit_code if wrong else 0,
    )


def _given(request: AttestRequest, repository: Repository | None) -> Mapping[str, bytes]:
    if request.file is not None and request.commit:
        raise RequestError("a FILE and --commit name two statements: leave one of them out")
    if request.file is not None:
        return _files(request, request.file)
    if repository is None or not request.commit:
        raise RequestError("name the statement's FILE, or --repo and --commit")
    found = keepsake.look(repository, _full(request, repository))
    lines = found[1].splitlines() if found else []
    named = [line.removeprefix(TRAILER) for line in lines if line.startswith(TRAILER)]
    if not named:
        raise RequestError(f"the commit {request.commit} names no session of jam's")
    files = keepsake.read(repository, named[-1].strip())
    if STATEMENT not in files or LEDGER not in files:
        raise RequestError(f"what is kept of {named[-1]} holds no statement, or no ledger")
    return files


def _files(request: AttestRequest, file: Path) -> Mapping[str, bytes]:
    ledger_file = request.ledger or file.with_name(LEDGER)
    if not ledger_file.exists():
        raise RequestError(f"there is no {ledger_file}: name the ledger with --ledger")
    folder = request.evidence or file.with_name(EVIDENCE)
    if request.evidence and not folder.is_dir():
        raise RequestError(f"{folder} is not a folder")
    files = {STATEMENT: _content(file), LEDGER: _content(ledger_file)}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_file():
            files[f"{EVIDENCE}/{path.name}"] = _content(path)
    return files


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(ALL_BYTES)
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}") from error


def _lines(files: Mapping[str, bytes]) -> Sequence[str]:
    return files[LEDGER].decode(errors="replace").splitlines()


def _looking(repository: Repository) -> Callable[[str], Committed]:
    def look(commit: str) -> Committed:
        found = keepsake.look(repository, commit)
        return Committed(tree=found[0], message=found[1]) if found else Committed(tree=None)

    return look


def _full(request: AttestRequest, repository: Repository) -> str:
    return repository.resolve(request.commit)


def _wrong_signature(request: AttestRequest, content: bytes) -> Sequence[str]:
    if request.key is None or signing.is_signed_by(content, request.key):
        return ()
    return (f"the statement as it is was not signed with the key of {request.key}",)


def _looked_at(request: AttestRequest, envelope: Envelope, checked: Checked) -> Sequence[str]:
    said = checked.said["predicate"]["jam"]["ledger"]
    names = "" if checked.names_checked else "; the names of its tests were not checked"
    return (
        _signature(request, envelope),
        f"The ledger: {said['entries']:,} entries follow from each other, make sense, and say what "
        "the statement says.",
        f"Evidence: {checked.given} of {checked.cited} cited pieces are here, as cited{names}.",
        _commit(request, checked),
    )


def _signature(request: AttestRequest, envelope: Envelope) -> str:
    if request.key:
        return f"Signed with the key of {request.key}."
    if envelope.keys:
        named = ", ".join(key[:16] for key in envelope.keys)
        return f"Says that {named} signed it, which nobody checked: name the public key with --key."
    return (
        "Unsigned: whoever can write where it lies could have made all of it anew, ledger and all."
    )


def _commit(request: AttestRequest, checked: Checked) -> str:
    commit = commit_of(checked.said)
    if commit is None:
        return "About a tree that no commit holds by itself."
    if request.repo is None:
        return f"About the commit {commit[:12]}, not looked at: name a repository with --repo."
    return f"The commit {commit[:12]} holds the tree that was judged."
