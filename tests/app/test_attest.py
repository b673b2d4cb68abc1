"""A stranger finds every change to a statement, to its ledger or to the evidence under both."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import Parse
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement

from bot.adapters import signing
from bot.app import attest
from bot.app.attest import EVIDENCE, LEDGER, STATEMENT, Checked
from bot.core import ledger
from bot.core.attested import Committed
from bot.core.canonical import spell
from bot.core.cited import cited
from bot.core.entries import AnyFact, Judged
from bot.core.report import Case, Mark, Report
from bot.core.report_json import dump
from bot.core.statement import PAYLOAD_TYPE
from bot.errors import EvidenceMissing, JamError, LedgerBroken, RequestError, StatementBroken
from tests.make import FIXED, TARGET, adjudicated, ended, published, sealed, verified_story

COMMIT = "c" * 40
REPORT = dump(
    Report(
        cases=(
            *(Case(f"tests/test_a.py::test_{n:02}", Mark.PASSED) for n in range(14)),
            Case(TARGET, Mark.PASSED),
        )
    )
)
CONTRACT = b"version: 1\n"


@dataclass
class Kept:
    """Evidence and keepsake in memory."""

    contents: dict[str, bytes] = field(default_factory=dict)
    made: bytes | None = None

    def put(self, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        self.contents[digest] = content
        return digest

    def get(self, sha256: str) -> bytes:
        if sha256 not in self.contents:
            raise EvidenceMissing(sha256)
        return self.contents[sha256]

    def statement(self) -> bytes | None:
        return self.made

    def keep(self, content: bytes) -> None:
        self.made = content


def story(kept: Kept) -> tuple[AnyFact, ...]:
    """A verified session whose reports and contract are really there."""
    report, contract = kept.put(REPORT), kept.put(CONTRACT)

    def cite(fact: AnyFact) -> AnyFact:
        if isinstance(fact, Judged):
            gates = tuple(g.model_copy(update={"report_sha256": report}) for g in fact.gates)
            return fact.model_copy(update={"gates": gates})
        if fact.kind == "opened":
            return fact.model_copy(update={"contract_sha256": contract})
        return fact

    return tuple(cite(fact) for fact in verified_story())


KEPT = Kept()
ENTRIES = sealed(*story(KEPT))
LINES = [ledger.line(entry) for entry in ENTRIES]


def made(entries: tuple[ledger.Sealed, ...] = ENTRIES) -> bytes:
    """Unsigned: what is found here is found without a signature."""
    return attest.attest(
        entries,
        commit=COMMIT,
        evidence=KEPT,
        signer=signing.Unsigned(),
        kept=Kept(),
    )


FILES = attest.bundle(LINES, made(), evidence=KEPT, withheld=lambda _: False)
SAID: dict[str, Any] = json.loads(signing.read(FILES[STATEMENT]).payload)
MESSAGE = "fix: it\n\nwhy\n\nJam-Session: 20261130-120000-abcd\n"


def look(commit: str) -> Committed:
    return Committed(tree=FIXED if commit == COMMIT else None, message=MESSAGE)


def checked(files: Mapping[str, bytes] = FILES, look: Callable[[str], Committed] = look) -> Checked:
    given = {n.rpartition("/")[2]: c for n, c in files.items() if n.startswith(EVIDENCE)}
    lines = files[LEDGER].decode().splitlines()
    return attest.check(signing.read(files[STATEMENT]), lines, given, look=look)


def finds(files: Mapping[str, bytes]) -> bool:
    try:
        return bool(checked(files).wrong)
    except JamError:
        return True


def around(said: object) -> bytes:
    return signing.Unsigned().sign(spell(said).encode(), kind=PAYLOAD_TYPE)


def leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a document, lists and objects included."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, below in inside:
        yield (*at, key)
        yield from leaves(below, (*at, key))


def with_change(document: Any, way: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Any:
    other = copy.deepcopy(document)
    inner = other
    for key in way[:-1]:
        inner = inner[key]
    change(inner, way[-1])
    return other


def replaced(inner: Any, key: Any) -> None:
    was = inner[key]
    other = {str: "x" + str(was), bool: not was, int: 41}.get(type(was))
    inner[key] = other if other is not None else [was]


def dropped(inner: Any, key: Any) -> None:
    del inner[key]


def test_what_was_made_holds() -> None:
    found = checked()

    assert found.wrong == ()
    assert (found.given, found.names_checked) == (2, True)
    assert SAID["predicate"]["result"] == "PASSED"
    assert len(SAID["predicate"]["passedTests"]) == 15


def test_it_is_a_statement_as_others_read_it() -> None:
    """A second opinion, by the library of those who wrote the specification."""
    message = Parse(signing.read(FILES[STATEMENT]).payload, statement_pb2.Statement())

    Statement.copy_from_pb(message).validate()
    assert message.subject[0].digest["gitCommit"] == COMMIT


@pytest.mark.parametrize("change", [replaced, dropped])
def test_every_change_to_the_statement_is_found(change: Callable[[Any, Any], None]) -> None:
    ways = list(leaves(SAID))
    unseen = [
        way
        for way in ways
        if not finds({**FILES, STATEMENT: around(with_change(SAID, way, change))})
    ]

    assert len(ways) > 80
    assert unseen == []


def test_a_field_more_is_found() -> None:
    more = with_change(SAID, ("predicate", "url"), lambda inner, key: inner.update({key: "x"}))

    assert finds({**FILES, STATEMENT: around(more)})


def test_another_spelling_of_the_same_is_found() -> None:
    loose = signing.Unsigned().sign(json.dumps(SAID).encode(), kind=PAYLOAD_TYPE)

    with pytest.raises(StatementBroken, match="not spelled as jam spells"):
        checked({**FILES, STATEMENT: loose})


def of(lines: list[str]) -> dict[str, bytes]:
    return {**FILES, LEDGER: "".join(f"{line}\n" for line in lines).encode()}


def resealed(lines: list[str]) -> list[str]:
    """What somebody writes who knows how seals are made."""
    after, out = ledger.ORIGIN, []
    for place, line in enumerate(lines):
        entry = json.loads(line)
        text = f"{after}\n{place}\n{spell(entry['fact'])}"
        after = hashlib.sha256(text.encode()).hexdigest()
        out.append(spell({**entry, "place": place, "seal": after}))
    return out


@pytest.mark.parametrize("seal", [list, resealed], ids=["as it was sealed", "sealed anew"])
class TestTheLedger:
    def test_every_change_to_a_fact_is_found(self, seal: Callable[[list[str]], list[str]]) -> None:
        unseen = []
        for place, line in enumerate(LINES):
            entry = json.loads(line)
            for way in leaves(entry["fact"]):
                other = with_change(entry, ("fact", *way), replaced)
                lines = seal([*LINES[:place], spell(other), *LINES[place + 1 :]])
                if not finds(of(lines)):
                    unseen.append((place, way))

        assert unseen == []

    def test_every_entry_is_missed(self, seal: Callable[[list[str]], list[str]]) -> None:
        places = range(len(LINES))

        assert [p for p in places if not finds(of(seal([*LINES[:p], *LINES[p + 1 :]])))] == []

    def test_every_order_but_its_own_is_found(self, seal: Callable[[list[str]], list[str]]) -> None:
        def swapped(place: int) -> list[str]:
            return [*LINES[:place], LINES[place + 1], LINES[place], *LINES[place + 2 :]]

        # Two runs of an adjudication that differ in nothing but their number still differ.
        assert [p for p in range(len(LINES) - 1) if not finds(of(seal(swapped(p))))] == []

    def test_every_end_but_its_own_is_found(self, seal: Callable[[list[str]], list[str]]) -> None:
        assert [p for p in range(len(LINES)) if not finds(of(seal(LINES[:p])))] == []


def test_evidence_that_was_changed_or_swapped_is_found() -> None:
    first, second = (name for name in FILES if name.startswith(EVIDENCE))
    swapped = {**FILES, first: FILES[second], second: FILES[first]}

    assert [one for one in checked(swapped).wrong if "was changed" in one] == [
        f"the evidence {name.rpartition('/')[2][:12]} was changed"
        for name in sorted((first, second))
    ]
    assert finds({**FILES, first: FILES[first] + b" "})
    assert finds({**FILES, f"{EVIDENCE}/{'e' * 64}": b"never cited"})


def test_without_evidence_the_rest_is_checked_and_it_says_so() -> None:
    bare = {name: content for name, content in FILES.items() if not name.startswith(EVIDENCE)}
    fewer = with_change(SAID, ("predicate", "passedTests", 0), dropped)

    assert (checked(bare).wrong, checked(bare).names_checked) == ((), False)
    assert checked({**bare, STATEMENT: around(fewer)}).wrong == (
        "the statement names 14 passed tests, and 15 passed",
    )


def test_a_statement_of_another_commit_is_found() -> None:
    def elsewhere(_: str) -> Committed:
        return Committed(tree="a" * 40, message=MESSAGE)

    def nowhere(_: str) -> Committed:
        return Committed(tree=None)

    def of_somebody(_: str) -> Committed:
        return Committed(tree=FIXED, message="the same files\n")

    assert checked(look=elsewhere).wrong == (
        f"the commit {COMMIT[:12]} holds the tree {'a' * 12}, not the judged one",
    )
    assert checked(look=nowhere).wrong == (f"the repository has no commit {COMMIT[:12]}",)
    assert checked(look=of_somebody).wrong == (
        f"the commit {COMMIT[:12]} names no session of jam's",
    )


def test_a_statement_of_another_session_is_found() -> None:
    other = sealed(*(f.model_copy(update={"title": "x"}) if f.kind == "opened" else f
                     for f in story(KEPT)))  # fmt: skip

    assert finds({**FILES, STATEMENT: made(other)})


def test_only_a_signature_tells_a_story_that_was_made_anew_as_a_whole(tmp_path: Path) -> None:
    """Whoever can write it all can make it all; but not sign it."""
    signing.make_key(tmp_path / "jam")
    signing.make_key(tmp_path / "other")
    facts = story(KEPT)
    forged = sealed(*(f.model_copy(update={"title": "x"}) if f.kind == "opened" else f
                      for f in facts))  # fmt: skip
    payload = signing.read(made(forged)).payload
    by_other = signing.signer(tmp_path / "other").sign(payload, kind=PAYLOAD_TYPE)
    ours = signing.signer(tmp_path / "jam").sign(SAID_BYTES, kind=PAYLOAD_TYPE)
    moved = json.loads(by_other)
    moved["signatures"] = json.loads(ours)["signatures"]

    files = attest.bundle(
        [ledger.line(one) for one in forged], by_other, evidence=KEPT, withheld=lambda _: False
    )
    public = tmp_path / "jam.pub"

    assert checked(files).wrong == ()
    assert not signing.is_signed_by(by_other, public)
    assert not signing.is_signed_by(made(forged), public)
    assert not signing.is_signed_by(json.dumps(moved).encode(), public)
    assert signing.is_signed_by(ours, public)


SAID_BYTES = signing.read(FILES[STATEMENT]).payload


def test_every_byte_under_a_signature_counts(tmp_path: Path) -> None:
    signing.make_key(tmp_path / "jam")
    ours = json.loads(signing.signer(tmp_path / "jam").sign(b'{"a":1}', kind=PAYLOAD_TYPE))
    others = [
        {**ours, "payload": base64.b64encode(b'{"a":2}').decode()},
        {**ours, "payloadType": "application/json"},
        {**ours, "signatures": []},
        {**ours, "signatures": [{**ours["signatures"][0], "keyid": "e" * 64}]},
        {
            **ours,
            "signatures": [{**ours["signatures"][0], "sig": base64.b64encode(b"x" * 64).decode()}],
        },
    ]
    public = tmp_path / "jam.pub"

    assert signing.is_signed_by(json.dumps(ours).encode(), public)
    assert [o for o in others if signing.is_signed_by(json.dumps(o).encode(), public)] == []


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"[" * 100_000, b"\xff", b'{"payload":1}'],
    ids=["nothing", "a list", "an object", "deep", "no text", "no payload"],
)  # fmt: skip
def test_what_is_no_envelope_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(RequestError, match="this is no DSSE envelope"):
        signing.read(content)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, "no statement of the type"),
        ({"_type": "https://in-toto.io/Statement/v1"}, "not about the result of tests"),
        ({**SAID, "predicate": {"jam": {"format": 2}}}, "another version"),
    ],
)
def test_other_statements_are_refused_in_one_sentence(said: Any, sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        checked({**FILES, STATEMENT: around(said)})


def test_a_ledger_that_was_cut_off_within_a_line_is_broken() -> None:
    with pytest.raises(LedgerBroken):
        checked({**FILES, LEDGER: FILES[LEDGER][:-40]})


def test_green_but_not_verified_is_a_warning_and_red_is_a_failure() -> None:
    facts = story(KEPT)[:-3]

    def result(**word: Any) -> str:
        end = word["end"]
        entries = sealed(*facts, adjudicated(**word), published(), ended(end=end, exit_code=3))
        payload = signing.read(made(entries)).payload
        return str(json.loads(payload)["predicate"]["result"])

    assert result(end="unverified", level="L2") == "WARNED"
    assert result(end="unverified", level="none") == "FAILED"
    assert result(end="partial", level="none") == "FAILED"


def test_what_holds_a_secret_stays_here() -> None:
    """A piece of evidence by itself; a ledger takes everything with it."""
    report = hashlib.sha256(REPORT).hexdigest()
    without = attest.bundle(LINES, made(), evidence=KEPT, withheld=lambda c: c == REPORT)

    assert without.keys() == FILES.keys() - {f"{EVIDENCE}/{report}"}
    assert report in cited(ENTRIES)
    assert attest.bundle(LINES, made(), evidence=KEPT, withheld=lambda c: b"opened" in c) == {}


def test_it_is_made_once() -> None:
    kept = Kept()
    first = attest.attest(
        ENTRIES, commit=COMMIT, evidence=KEPT, signer=signing.Unsigned(), kept=kept
    )
    again = attest.attest(
        ENTRIES, commit="e" * 40, evidence=KEPT, signer=signing.Unsigned(), kept=kept
    )

    assert first == again == kept.made


def test_a_ledger_that_an_earlier_jam_began_goes_along_as_it_was_written() -> None:
    """It knew fewer fields, and its seals are over what it wrote."""
    lines, after = [], ledger.ORIGIN
    for entry in ENTRIES:
        fact = entry.fact.model_dump(mode="json")
        if entry.fact.kind == "opened":
            del fact["released"]
        written = f"{after}\n{entry.place}\n{spell(fact)}"
        after = hashlib.sha256(written.encode()).hexdigest()
        lines.append(spell({"place": entry.place, "seal": after, "fact": fact}))
    entries = ledger.read(lines)

    files = attest.bundle(lines, made(entries), evidence=KEPT, withheld=lambda _: False)

    assert ledger.last_seal(entries) != ledger.last_seal(ENTRIES)
    assert checked(files).wrong == ()
