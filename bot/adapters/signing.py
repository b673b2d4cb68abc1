"""
Envelopes (DSSE) and who signed them: ed25519 and ecdsa keys in PEM files.

The envelope and the signatures are ``securesystemslib``'s, whose keys need ``cryptography``; what
has no key and meets no signature needs neither. What is in an envelope is not known here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from securesystemslib.dsse import Envelope as Dsse
from securesystemslib.exceptions import Error, UnsupportedLibraryError, VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from bot.core.canonical import spell, unspell
from bot.errors import RequestError
from bot.ports import Envelope

LARGEST = 64 << 20
EXTRA = "signing needs a package that is not installed: pip install 'jam[signing]'"


@dataclass(frozen=True, slots=True)
class Unsigned:
    """The ``Signer`` that has no key: an envelope with nobody's name on it."""

    key: str = ""

    def sign(self, payload: bytes, *, kind: str) -> bytes:
        return _spelled(Dsse(payload, kind, {}))


@dataclass(frozen=True, slots=True)
class KeySigner:
    """The ``Signer`` of one private key."""

    signer: CryptoSigner

    @property
    def key(self) -> str:
        return str(self.signer.public_key.keyid)

    def sign(self, payload: bytes, *, kind: str) -> bytes:
        envelope = Dsse(payload, kind, {})
        envelope.sign(self.signer)
        return _spelled(envelope)


def signer(path: Path | None) -> KeySigner | Unsigned:
    """Of the private key in a file. ``RequestError`` where it is none that jam can sign with."""
    if path is None:
        return Unsigned()
    content = _content(path)
    try:
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        private = load_pem_private_key(content, password=None)
        return KeySigner(CryptoSigner(private))
    except (ImportError, UnsupportedLibraryError):
        raise RequestError(EXTRA) from None
    except (ValueError, TypeError, AttributeError, Error):
        raise RequestError(
            f"{path} holds no private key that jam can sign with: ed25519 or ecdsa, in PEM, "
            "without a password (`jam attest keygen` makes one)"
        ) from None


def make_key(path: Path) -> str:
    """A new ed25519 key in ``path``, its public half beside it; the key's name."""
    try:
        from cryptography.hazmat.primitives.serialization import (
            Encoding,
            PublicFormat,
            load_pem_private_key,
        )

        made = CryptoSigner.generate_ed25519()
    except (ImportError, UnsupportedLibraryError):
        raise RequestError(EXTRA) from None
    private = load_pem_private_key(made.private_bytes, password=None)
    pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    public = path.with_name(f"{path.name}.pub")
    for file, content, mode in ((path, made.private_bytes, 0o600), (public, pem, 0o644)):
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:
            raise RequestError(f"{file} is there already: name another file") from None
        except OSError as error:
            raise RequestError(f"{file} cannot be written: {error.strerror}") from error
        with os.fdopen(handle, "wb") as opened:
            opened.write(content)
    return KeySigner(made).key


def read(content: bytes) -> Envelope:
    """``RequestError`` where it is no envelope."""
    envelope = _dsse(content)
    return Envelope(
        kind=str(envelope.payload_type),
        payload=envelope.payload,
        keys=tuple(map(str, envelope.signatures)),
    )


def is_signed_by(content: bytes, path: Path) -> bool:
    """Whether the owner of the public key in ``path`` signed the envelope as it is."""
    public = _public(path)
    try:
        _dsse(content).verify([public], 1)
    except UnsupportedLibraryError:
        raise RequestError(EXTRA) from None
    except (VerificationError, ValueError):
        return False
    return True


def _public(path: Path) -> SSlibKey:
    content = _content(path)
    try:
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        return SSlibKey.from_crypto(load_pem_public_key(content))
    except (ImportError, UnsupportedLibraryError):
        raise RequestError(EXTRA) from None
    except (ValueError, TypeError, AttributeError, Error):
        raise RequestError(f"{path} holds no public key (ed25519 or ecdsa, in PEM)") from None


def _dsse(content: bytes) -> Dsse:
    try:
        said: Any = unspell(content)
        return Dsse.from_dict(said)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, Error):
        raise RequestError("this is no DSSE envelope") from None


def _spelled(envelope: Dsse) -> bytes:
    return spell(envelope.to_dict()).encode() + b"\n"


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST)
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}") from error
