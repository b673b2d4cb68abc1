"""
What looks like a secret to anybody: the shapes that tokens and keys have.

Knows shapes alone, so it is for texts that people read, never for files: a repository may hold an
example of a token, and a test may be named after one.
"""

from __future__ import annotations

import re

MASK = "[secret]"
_END = r"[A-Za-z0-9]"
SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    # GitHub's: the new installation tokens are long and hold dots and dashes.
    rf"gh[a-z]_[A-Za-z0-9._-]{{19,}}{_END}|github_pat_[A-Za-z0-9_]{{21,}}{_END}"
    rf"|sk-[A-Za-z0-9_-]{{19,}}{_END}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
    rf"|xox[abeprs]-[A-Za-z0-9-]{{9,}}{_END}|glpat-[A-Za-z0-9_-]{{19,}}{_END}"
    r"|npm_[A-Za-z0-9]{36}|AIza[A-Za-z0-9_-]{35}"
    r")"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?!-----END).){0,20000}"
    r"(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
    re.DOTALL,
)
NAMED = re.compile(
    r"(?i:(authorization[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|token)\s+)?))"
    r"[A-Za-z0-9+/=._-]{16,}"
    r"|(?i:(aws_secret_access_key[\"']?\s*[:=]\s*[\"']?))[A-Za-z0-9/+]{40}"
    r"|(://[^\s/@:\"']{0,64}:)[^\s/@\"']{3,256}(?=@)"
)
"""What stands behind a name that gives it away; the name may be read."""


def mask(text: str) -> str:
    named = NAMED.sub(lambda found: f"{next(filter(None, found.groups()))}{MASK}", text)
    return SHAPES.sub(MASK, named)
