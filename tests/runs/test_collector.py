"""The threshold of the garbage collector while streams are in progress, and after them."""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest

from judgemesh.mesh.runs.collector import collect_after, rare_collections
from judgemesh.mesh.runs.stream import windowed

DEFAULT = (700, 10, 10)
FEW = 2
SEARCHED_AFTER = collect_after(FEW)


@pytest.fixture(autouse=True)
def threshold() -> Generator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*DEFAULT)
    yield
    gc.set_threshold(*before)


def test_overlapping_streams_set_it_once_and_set_it_back_once() -> None:
    first, second = rare_collections(FEW), rare_collections(FEW)
    with first:
        assert gc.get_threshold() == (SEARCHED_AFTER, 10, 10)
        second.__enter__()
    assert gc.get_threshold()[0] == SEARCHED_AFTER
    second.__exit__(None, None, None)
    assert gc.get_threshold() == DEFAULT


@pytest.mark.parametrize("own", [(0, 10, 10), (SEARCHED_AFTER + 1, 5, 5)])
def test_a_threshold_of_the_program_stays(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with rare_collections(FEW):
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_the_program_sets_meanwhile_stays() -> None:
    with rare_collections(FEW):
        gc.set_threshold(1234, 5, 6)
    assert gc.get_threshold() == (1234, 5, 6)


def test_it_grows_with_the_results_in_progress_within_bounds() -> None:
    numbers = [collect_after(in_progress) for in_progress in (0, 1, 64, 256, 10**6)]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (10_000, 200_000)
    assert 2 * numbers[2] < numbers[3] < numbers[4]


@pytest.mark.anyio
async def test_a_stream_sets_it_back_however_it_ends() -> None:
    async def threshold(_: int) -> int:
        return gc.get_threshold()[0]

    seen = [value async for value in windowed(range(3), threshold, limit=FEW)]
    assert seen == [SEARCHED_AFTER] * 3
    assert gc.get_threshold() == DEFAULT

    async def broken(_: int) -> int:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        _ = [value async for value in windowed(range(3), broken, limit=FEW)]
    assert gc.get_threshold() == DEFAULT

    left = windowed(range(3), threshold, limit=FEW)
    await anext(left)
    await left.aclose()
    assert gc.get_threshold() == DEFAULT
