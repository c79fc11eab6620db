"""The fuzz targets of `benchmarks/reliability` on seeds, on a short run of the fuzzer, and on what hypothesis finds."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from reliability.fuzzing.changes import MAX_BYTES, changed
from reliability.fuzzing.loop import fuzz
from reliability.fuzzing.seeds import CORPUS, seeds_of
from reliability.fuzzing.targets import SHARES, TARGETS

NAMES = sorted(TARGETS)
FOUND = sorted(path.relative_to(CORPUS) for path in CORPUS.glob("*/*"))


def test_every_target_has_seeds_and_a_share() -> None:
    assert SHARES.keys() == TARGETS.keys()
    assert all(seeds_of(name) for name in NAMES)
    assert {path.parts[0] for path in FOUND} <= TARGETS.keys()


@pytest.mark.parametrize("path", FOUND, ids=str)
def test_what_was_found_is_mended(path: Path) -> None:
    TARGETS[path.parts[0]]((CORPUS / path).read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_a_short_run_finds_nothing(name: str) -> None:
    seeds = seeds_of(name)[:40]
    done = fuzz(name, TARGETS[name], seeds, executions=120, seed=1, limit_s=5.0)
    assert done.executions == 120
    assert done.findings == {}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30, deadline=None)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_arbitrary_bytes_raise_nothing_else(name: str, data: bytes) -> None:
    TARGETS[name](data)


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), name=st.sampled_from(NAMES))
def test_changes_are_bounded_and_repeatable(seed: int, name: str) -> None:
    seeds = seeds_of(name)
    made = [changed(seeds[0], seeds, random.Random(seed)) for _ in range(2)]  # noqa: S311 (repeatable)
    assert made[0] == made[1]
    assert len(made[0]) <= MAX_BYTES


def test_the_fuzzer_notices_an_exception() -> None:
    def breaks(data: bytes) -> None:
        if b"\xff" in data:
            raise KeyError("ff")

    done = fuzz("x", breaks, [b"a\xfe\xff"], executions=200, seed=2, limit_s=5.0)
    (found,) = done.findings.values()
    assert found.error == "KeyError"
    assert found.times > 1
    assert b"\xff" in found.input


def test_the_fuzzer_notices_what_does_not_end() -> None:
    """It is interrupted, and the next execution runs."""

    def hangs(data: bytes) -> None:
        while data == b"h":
            pass

    done = fuzz("x", hangs, [b"h", b"i"], executions=2, seed=2, limit_s=0.1)
    (found,) = done.findings.values()
    assert (found.input, done.executions) == (b"h", 2)
    assert found.error.startswith("more than 0.1")


def test_new_lines_keep_an_input() -> None:
    """Inputs that reach lines of the project join the corpus of the run."""
    done = fuzz(
        "replies",
        TARGETS["replies"],
        [b"no"],
        executions=1_000,
        seed=3,
        limit_s=5.0,
    )
    assert done.inputs > 1
