"""The databases of ``jam serve``, real ones: SQLite in a file, and PostgreSQL in a cluster of the
test's own. Where PostgreSQL is not installed, its tests fail."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

NOBODY = 65534


class PostgresMissing(AssertionError):
    """Install PostgreSQL (`apt-get install postgresql`): its tests do not skip."""


def programs() -> Path:
    found = shutil.which("postgres") or next(
        (str(path) for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")), None
    )
    if found is None:
        raise PostgresMissing(PostgresMissing.__doc__)
    return Path(found).resolve().parent


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty database. It refuses to run as root, so it runs as nobody then."""
    bins = programs()
    with tempfile.TemporaryDirectory(prefix="jam-pg-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        if os.geteuid() == 0:
            folder.chmod(0o755)
            os.chown(folder, NOBODY, NOBODY)
        _run(bins / "initdb", "-D", f"{place}/data", "-A", "trust", "-U", "jam", "--no-sync")
        options = f"-k {place} -c listen_addresses='' -c fsync=off"
        _run(bins / "pg_ctl", "-D", f"{place}/data", "-o", options, "-w", "start")
        try:
            yield f"postgresql://jam@/postgres?host={place}"
        finally:
            _run(bins / "pg_ctl", "-D", f"{place}/data", "-m", "immediate", "-w", "stop")


def another(url: str) -> str:
    """The address of an empty database beside this one."""
    name = f"jam_{secrets.token_hex(6)}"
    plain = url.replace("+psycopg", "")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return url.replace("/postgres?", f"/{name}?")


def _run(*words: object) -> None:
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    argv = [*(drop if os.geteuid() == 0 else []), *map(str, words)]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
