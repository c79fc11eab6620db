"""Fixtures: the judge's server for the whole session, and a folder with contract, ledger and settings for a test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

pytest.register_assert_rewrite("desk")

import desk  # noqa: E402 (beside this file; import mode importlib does not put it on the path)


@pytest.fixture(scope="session")
def judge_url() -> Iterator[str]:
    with desk.judge_server() as url:
        yield url


@pytest.fixture
def refund_desk(tmp_path: Path, judge_url: str) -> desk.Desk:
    return desk.Desk(tmp_path, desk.settings(tmp_path, judge_url))


@pytest.fixture
def bin_folder() -> Path:
    """The commands of this environment."""
    return Path(sys.executable).parent
