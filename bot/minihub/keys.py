"""
Keys and the two kinds of token that GitHub makes with them: an App's RSA key, and installation
tokens in the long form ``ghs_<app>_<jwt>``. Checks an App's own JWT by the hub's clock.
"""

from __future__ import annotations

import secrets
from functools import cache

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from jwt.types import Options

from bot.minihub.answers import Refused

JWT_LONGEST_S = 600
HUB = 0  # the number of the key that installation tokens are signed with
BY_OUR_CLOCK: Options = {
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
    "verify_aud": False,
}


@cache
def _key(_number: int) -> rsa.RSAPrivateKey:
    """The same number gives the same key for as long as the process lives: making one is slow."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def private_key(number: int) -> str:
    return (
        _key(number)
        .private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        .decode()
    )


def public_key(number: int) -> str:
    public = _key(number).public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def installation_token(*, app_id: int, installation_id: int, now: int) -> str:
    claims = {
        "iss": "https://token.actions.example",
        "sub": f"installation:{installation_id}",
        "iat": now,
        "exp": now + 3600,
        "jti": secrets.token_hex(8),
    }
    return f"ghs_{app_id}_{jwt.encode(claims, private_key(HUB), algorithm='RS256')}"


def personal_token() -> str:
    return f"ghp_{secrets.token_hex(18)}"


def claimed_issuer(token: str) -> str:
    """Whom a JWT says it is from, unverified; only to find the key to check it with."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except jwt.InvalidTokenError as broken:
        raise Refused(401, "A JSON web token could not be decoded") from broken
    return str(claims.get("iss", ""))


def check_app_jwt(token: str, *, public_pem: str, now: int) -> None:
    try:
        claims = jwt.decode(token, public_pem, algorithms=["RS256"], options=BY_OUR_CLOCK)
    except jwt.InvalidTokenError as broken:
        raise Refused(401, "A JSON web token could not be decoded") from broken
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(issued, int) or issued > now:
        raise Refused(
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the "
            "assertion was issued",
        )
    if not isinstance(expires, int) or expires <= now:
        raise Refused(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future "
            "time at which the assertion expires",
        )
    if expires > now + JWT_LONGEST_S:
        raise Refused(401, "'Expiration time' claim ('exp') is too far in the future")
