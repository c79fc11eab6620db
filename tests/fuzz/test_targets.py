"""The fuzz targets of `benchmarks/reliability` on seeds, on a short run of the fuzzer, and on what hypothesis finds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from reliability.fuzz import fuzz, seeds_of
from reliability.fuzz_targets import SEEDS, TARGETS

NAMES = sorted(TARGETS)


def test_every_target_has_seeds() -> None:
    assert SEEDS.keys() == TARGETS.keys()
    assert all(SEEDS.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_short_run_finds_nothing(name: str) -> None:
    done = fuzz(name, seeds_of(name, None), executions=120, seed=1, limit_s=5.0)
    assert done.executions == 120
    assert done.findings == []


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30, deadline=None)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_arbitrary_bytes_raise_nothing_else(name: str, data: bytes) -> None:
    TARGETS[name](data)


def test_the_fuzzer_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that breaks on one byte, and one that is slow."""
    import reliability.fuzz as fuzzer

    def breaks(data: bytes) -> None:
        if b"\xff" in data:
            raise KeyError("ff")

    monkeypatch.setattr(fuzzer, "TARGETS", {"replies": breaks})
    done = fuzz("replies", [b"a\xfe\xff"], executions=200, seed=2, limit_s=5.0)
    assert done.findings
    assert "KeyError" in done.findings[0]["error"]
