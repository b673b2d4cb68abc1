"""Words for values that are only text: digests and object names, as types that check themselves."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import StringConstraints

Sha256: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
ShaGit: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
