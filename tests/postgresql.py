"""A PostgreSQL server of the test session's own, on 127.0.0.1, in a temporary folder."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

_DEBIAN: Final = "/usr/lib/postgresql"
_TIMEOUT_S: Final = 60.0


def missing() -> str | None:
    """Why there can be no server; None where there can."""
    if os.name != "posix":
        return "the server is started the POSIX way"
    if _binary("initdb") is None or _binary("pg_ctl") is None:
        return "no PostgreSQL server is installed"
    if os.geteuid() == 0 and (
        shutil.which("runuser") is None or not _is_user("postgres")
    ):
        return "PostgreSQL refuses to run as root, and there is no user `postgres`"
    return None


class Server:
    """A running server, which makes empty databases."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._numbers = count(1)

    def database(self) -> str:
        """The address of a new, empty database."""
        import psycopg

        name = f"ledger_{next(self._numbers)}"
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self._address(name)

    def _address(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"


@contextmanager
def server() -> Generator[Server]:
    """Start a server, and stop it."""
    folder = Path(tempfile.mkdtemp(prefix="judgemesh_pg_"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    data, port = str(folder / "data"), _free_port()
    # Nothing has to survive a power cut.
    settings = f"-F -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    try:
        _run(
            "initdb",
            "-D",
            data,
            "--no-sync",
            "-A",
            "trust",
            "-U",
            "postgres",
            "--no-locale",
            "-E",
            "UTF8",
        )
        _run(
            "pg_ctl",
            "-D",
            data,
            "-w",
            "-o",
            settings,
            "-l",
            str(folder / "log"),
            "start",
        )
        try:
            yield Server(port)
        finally:
            _run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        # Each database is some hundred files: nothing waits until they are gone.
        subprocess.run(["sh", "-c", 'rm -rf "$0" &', str(folder)], check=False)


def _run(name: str, *arguments: str) -> None:
    """Run a program of PostgreSQL's, as its own user where we are root.

    Raises:
        RuntimeError: it failed; with what it said.
    """
    program = _binary(name)
    if program is None:
        raise RuntimeError(f"{name} is gone")
    asuser: Sequence[str] = (
        ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()
    )
    # The server outlives pg_ctl and would hold a pipe open: what it says goes into a file.
    with tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(
            [*asuser, program, *arguments],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            timeout=_TIMEOUT_S,
            check=False,
        )
        said.seek(0)
        if done.returncode:
            raise RuntimeError(f"{name} failed: {said.read()}")


def _binary(name: str) -> str | None:
    """Where a program of PostgreSQL's is: on the path, or where Debian keeps it."""
    installed = sorted(
        Path(_DEBIAN).glob("*/bin"),
        key=lambda path: int(path.parent.name),
        reverse=True,
    )
    places = os.pathsep.join([os.environ.get("PATH", ""), *map(str, installed)])
    return shutil.which(name, path=places)


def _is_user(name: str) -> bool:
    import pwd

    return any(entry.pw_name == name for entry in pwd.getpwall())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
