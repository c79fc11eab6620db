"""`judgemesh view`: what it refuses, in one line."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ..e2e.command import environment, judgemesh, start


def _error(*args: str | Path, cwd: Path) -> str:
    done = judgemesh("view", *args, cwd=cwd, expect=2)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


def test_a_ledger_that_is_not_there(tmp_path: Path) -> None:
    line = _error("nothing.db", "--port", "0", cwd=tmp_path)
    assert "ledger nothing.db does not exist" in line
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        line = _error("nothing.db", "--port", port, cwd=tmp_path)
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in line
    assert "--port 0 a free one" in line


def test_two_ledgers(tmp_path: Path) -> None:
    line = _error("a.db", "--ledger", "b.db", cwd=tmp_path)
    assert "give the ledger once" in line


def test_a_missing_extra(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['uvicorn'] = None;"
        " from judgemesh.mesh.cli.app import main; sys.argv = ['judgemesh', 'view']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "the viewer needs the package uvicorn" in line
    assert "pip install 'judgemesh[view]'" in line


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_and_ends_when_interrupted(
    tmp_path: Path, how: signal.Signals
) -> None:
    judgemesh("report", "--runs", "--ledger", "none.db", cwd=tmp_path, expect=2)
    import asyncio

    from judgemesh.mesh.ledger.store import Ledger

    async def make() -> None:
        await (await Ledger.open(str(tmp_path / "ledger.db"))).aclose()

    asyncio.run(make())
    process = start("view", "ledger.db", "--port", "0", "--token", cwd=tmp_path)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert "http://127.0.0.1:" in line
    assert "?token=" in line
    # A browser that keeps its connection open does not keep the viewer.
    port = int(line.split(":")[3].split("/")[0])
    with socket.create_connection(("127.0.0.1", port)):
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")
