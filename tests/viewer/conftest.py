"""A ledger with two runs, a viewer of it, and a client that asks the viewer as a browser does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.viewer.addresses import Addresses
from judgemesh.mesh.viewer.app import create_app
from judgemesh.mesh.viewer.security import Access
from judgemesh.mesh.viewer.viewer import Viewer

from ..postgresql import Server
from .ledgers import fill

PORT = 8765
SITE = f"http://127.0.0.1:{PORT}"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new ledger, in a file and on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    server: Server = request.getfixturevalue("postgresql_server")
    return server.database()


@pytest.fixture
async def ledger(place: str) -> AsyncIterator[Ledger]:
    async with await Ledger.open(place) as opened:
        await fill(opened)
        yield opened


@pytest.fixture
async def viewer(ledger: Ledger) -> AsyncIterator[Viewer]:
    access = Access(Addresses("127.0.0.1", PORT))
    made = Viewer(ledger=ledger, access=access, labeler="ann")
    yield made
    await made.jobs.close()


@pytest.fixture
async def client(viewer: Viewer) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_app(viewer))
    async with httpx.AsyncClient(transport=transport, base_url=SITE) as opened:
        yield opened
