"""Shared fixtures."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from hypothesis import settings

from . import postgresql

# A property is about values; how long one example takes depends on what else the machine is doing.
settings.register_profile("judgemesh", deadline=None)
settings.load_profile("judgemesh")


@pytest.fixture
def anyio_backend() -> str:
    """The engine runs on asyncio: the model client does not support trio."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgresql_server() -> Generator[postgresql.Server]:
    """A real PostgreSQL server, started once where one is installed."""
    reason = postgresql.missing()
    if reason is not None:
        pytest.skip(reason)
    with postgresql.server() as running:
        yield running
