"""Bounded look-ahead."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import anyio
import pytest

from judgemesh.mesh.runs.stream import windowed

pytestmark = pytest.mark.anyio


class Source:
    """Counts how many items were taken and how many are in hand."""

    def __init__(self, size: int) -> None:
        self.size, self.taken, self.finished, self.most = size, 0, 0, 0

    def __iter__(self) -> Iterator[int]:
        for item in range(self.size):
            self.taken += 1
            self.most = max(self.most, self.taken - self.finished)
            yield item

    async def work(self, item: int) -> int:
        await anyio.sleep(0.001 * (item % 3))
        self.finished += 1
        return item


@pytest.mark.parametrize("ordered", [True, False])
async def test_every_item_once_and_never_more_than_the_limit_in_hand(
    ordered: bool,
) -> None:
    source = Source(100)
    found = [
        item async for item in windowed(source, source.work, limit=7, ordered=ordered)
    ]
    assert sorted(found) == list(range(100))
    assert source.most <= 7
    if ordered:
        assert found == list(range(100))


async def test_a_slow_consumer_slows_the_source() -> None:
    source = Source(1000)
    stream = windowed(source, source.work, limit=5)
    for _ in range(10):
        await anext(stream)
        await anyio.sleep(0.005)
    assert source.taken <= 10 + 5
    await stream.aclose()


async def test_leaving_early_cancels_what_is_in_flight() -> None:
    started, cancelled = 0, 0

    async def work(item: int) -> int:
        nonlocal started, cancelled
        started += 1
        try:
            await anyio.sleep(0.02 if item == 0 else 30)
        except BaseException:
            cancelled += 1
            raise
        return item

    stream = windowed(range(10), work, limit=4)
    assert await anext(stream) == 0
    await stream.aclose()
    assert cancelled == started - 1 >= 2


async def test_a_cancelled_consumer_still_waits_for_what_the_work_puts_in_order() -> (
    None
):
    tidied = 0

    async def work(item: int) -> int:
        nonlocal tidied
        try:
            await anyio.sleep(30)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.02)
            tidied += 1
        return item

    with anyio.move_on_after(0.05):
        async for _ in windowed(range(10), work, limit=4):
            pass
    assert tidied == 4


async def test_an_exception_of_the_work_reaches_the_consumer() -> None:
    async def work(item: int) -> int:
        if item == 3:
            raise ValueError("three")
        return item

    async def items() -> AsyncIterator[int]:
        for item in range(10):
            yield item

    with pytest.raises(ValueError, match="three"):
        _ = [item async for item in windowed(items(), work, limit=1)]


async def test_an_empty_stream_ends() -> None:
    async def work(item: int) -> int:
        return item

    assert [item async for item in windowed(list[int](), work, limit=3)] == []


@pytest.mark.parametrize("count", [0, 2])
async def test_it_tells_how_many_are_left_when_no_more_begin(count: int) -> None:
    left, may_end = list[int](), anyio.Event()

    async def work(item: int) -> int:
        await may_end.wait()
        return item

    def tell(in_progress: int) -> None:
        left.append(in_progress)
        may_end.set()

    stream = windowed(range(count), work, limit=3, left=tell)
    assert sorted([item async for item in stream]) == list(range(count))
    assert left == list(range(count, -1, -1))


async def test_a_slow_source_keeps_no_result_back() -> None:
    came = anyio.Event()

    async def source() -> AsyncIterator[int]:
        yield 0
        await came.wait()
        yield 1

    async def work(item: int) -> int:
        return item

    found: list[int] = []
    with anyio.fail_after(5):
        async for value in windowed(source(), work, limit=4):
            found.append(value)
            came.set()
    assert found == [0, 1]


async def test_what_finished_before_the_source_broke_is_given_first() -> None:
    async def source() -> AsyncIterator[int]:
        yield 0
        yield 1
        await anyio.sleep(0.01)
        raise ValueError("the source is broken")

    async def work(item: int) -> int:
        return item

    found: list[int] = []

    async def consume() -> None:
        async for value in windowed(source(), work, limit=4):
            found.append(value)

    with pytest.raises(ValueError, match="the source is broken"):
        await consume()
    assert found == [0, 1]
