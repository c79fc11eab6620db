"""Shared fixtures."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

from . import postgresql

_ROOT = Path(__file__).resolve().parents[1]

# A property is about values; how long one example takes depends on what else the machine is doing.
settings.register_profile("judgemesh", deadline=None, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.register_profile(
    "repeatable", deadline=None, max_examples=60, derandomize=True, database=None
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "judgemesh"))


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


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return _ROOT


@pytest.fixture(scope="session")
def script() -> Callable[[str], ModuleType]:
    """Load a script of the repository as a module, by its path from the root."""

    def load(path: str) -> ModuleType:
        name = "script_" + path.removesuffix(".py").replace("/", "_")
        spec = importlib.util.spec_from_file_location(name, _ROOT / path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load
