"""Known secrets in every spelling, what looks like one, and what must never be cut."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import urllib.parse
from collections.abc import Callable

import pytest

from bot.core.redact import AT_MOST, MASK, Redactor

SECRET = "sk_live-Canary/0123456789+abcdefXYZ=="
PEM = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n".format(
    "\n".join(
        base64.b64encode(hashlib.sha256(bytes([n])).digest() * 2)[:64].decode() for n in range(8)
    )
)
SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "backwards": lambda s: s[::-1],
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64, one off": lambda s: base64.b64encode(b"x" + s.encode() + b"y").decode(),
    "base64, two off": lambda s: base64.b64encode(b"xy" + s.encode() + b"y").decode(),
    "base64 for addresses": lambda s: base64.urlsafe_b64encode(s.encode()).decode(),
    "base64 in lines": lambda s: base64.encodebytes(s.encode()).decode(),
    "base64 of it backwards": lambda s: base64.b64encode(s[::-1].encode()).decode(),
    "base64 backwards": lambda s: base64.b64encode(s.encode()).decode()[::-1],
    "hexadecimal": lambda s: s.encode().hex(),
    "hexadecimal, large": lambda s: s.encode().hex().upper(),
    "hexadecimal, spaced": lambda s: s.encode().hex(" "),
    "bytes of Python": lambda s: "".join(f"\\x{one:02x}" for one in s.encode()),
    "for an address": lambda s: urllib.parse.quote(s, safe=""),
    "for an address, all": lambda s: "".join(f"%{one:02X}" for one in s.encode()),
    "in lines": lambda s: "\n".join(s[at : at + 5] for at in range(0, len(s), 5)),
    "letter by letter": lambda s: "\n".join(s),
    "in a diff": lambda s: "\n".join(f"+ {s[at : at + 9]}" for at in range(0, len(s), 9)),
    "in two strings": lambda s: f'"{s[:9]}" + \\\n    "{s[9:]}"',
    "in JSON": json.dumps,
}
BEGIN, END = "it said: ", "; and no more"


@pytest.mark.parametrize("secret", [SECRET, PEM, "p@ss-w0rd-1"], ids=["token", "key", "password"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_known_secret_goes_in_every_spelling(secret: str, spelling: str) -> None:
    shown = SPELLINGS[spelling](secret)
    redactor = Redactor([secret])
    said = redactor.kept(f"{BEGIN}{shown}{END}")

    assert MASK in said
    assert (said[: len(BEGIN)], said[-len(END) :]) == (BEGIN, END)
    assert not redactor.holds(said.encode())
    assert len(said) < len(BEGIN) + len(END) + len(shown) * 0.5 + 16


def test_a_part_of_a_key_is_as_bad_as_all_of_it() -> None:
    line = PEM.splitlines()[4]

    said = Redactor([PEM]).kept(f"x {line[:40]} y")

    assert said.replace("/", "").replace("+", "") == f"x {MASK} y"


def test_a_secret_of_signs_alone_goes_too() -> None:
    assert Redactor(["!!$%&/()=?~~"]).kept("x !!$%&/()=?~~ y") == f"x {MASK} y"


def test_what_is_short_is_no_secret() -> None:
    assert Redactor(["yes", "", " 1234567 "]).kept("yes, 1234567") == "yes, 1234567"


def test_other_bytes_stay_as_they_are() -> None:
    whole = bytes(range(256)) * 4

    assert Redactor([SECRET]).content(whole) is whole
    assert Redactor([SECRET]).content(whole + SECRET.encode()) == whole + f"{MASK}==".encode()


def test_learned_secrets_are_known_and_the_oldest_forgotten() -> None:
    chance = random.Random(1)
    secrets = [chance.randbytes(20).hex() for _ in range(AT_MOST + 1)]
    redactor = Redactor([SECRET])
    for secret in secrets:
        redactor.learn(secret)

    assert redactor.holds(secrets[-1].encode())
    assert redactor.holds(secrets[AT_MOST // 2].encode())
    assert not redactor.holds(secrets[0].encode())
    assert redactor.holds(SECRET.encode())


TOKENS = {
    "installation": "ghs_1234_eyJhbGciOi.J9eyJp-c3MiOiJ.qqq_" + "x" * 480,
    "person": "ghp_" + "a1" * 18,
    "OAuth": "gho_" + "a1" * 18,
    "fine": "github_pat_" + "a1_" * 20 + "b",
    "model": "sk-ant-api03-" + "Ab1_" * 20 + "x",
    "AWS": "AKIAIOSFODNN7EXAMPLE",
    "JWT": "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl",
    "key": PEM.strip(),
    "key, cut": PEM[:200],
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
def test_what_looks_like_a_secret_goes_from_what_people_read(token: str) -> None:
    assert Redactor().told(f"x {token}") == f"x {MASK}"
    assert Redactor().kept(f"x {token}") == f"x {token}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Authorization: Basic eC1hY2Nlc3MtdG9rZW46Z2hz", f"Authorization: Basic {MASK}"),
        ("postgresql://jam:pass-word@db/jam", f"postgresql://jam:{MASK}@db/jam"),
        ("aws_secret_access_key = " + "a/B1" * 10, f"aws_secret_access_key = {MASK}"),
    ],
)
def test_what_a_name_gives_away_goes_and_the_name_stays(text: str, said: str) -> None:
    assert Redactor().told(text) == said


def test_digests_commits_and_plain_words_are_never_cut() -> None:
    chance = random.Random(2)
    redactor = Redactor([SECRET, PEM])
    for _ in range(300):
        content = chance.randbytes(64)
        text = (
            f"| {hashlib.sha256(content).hexdigest()} | {hashlib.sha1(content).hexdigest()} |\n"
            f"tests/test_basic.py::test_authorization_of_bearers[{content.hex()}] "
            f"https://github.com/ada/lib/pull/7 ski-lift_or_something_else task-1234567890123456"
        )
        assert redactor.told(text) == text


def test_what_is_masked_is_not_masked_again() -> None:
    redactor = Redactor([SECRET])
    once = redactor.told(f"a {SECRET} b {TOKENS['person']}")

    assert redactor.told(once) == once


def test_every_text_of_a_value_is_masked_and_nothing_else() -> None:
    value = {"a": [SECRET, 1, None, ("x", SECRET)], SECRET: {"b": True}}

    assert Redactor([SECRET]).told_all(value) == {
        "a": [f"{MASK}==", 1, None, ("x", f"{MASK}==")],
        f"{MASK}==": {"b": True},
    }
