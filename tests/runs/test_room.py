"""Memory that lines in progress share."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.inputs.files.limits import RESULT_LINE, parsed_bytes
from judgemesh.mesh.inputs.results import Accepted, Line, Rejected
from judgemesh.mesh.runs.room import Room


@given(st.lists(st.integers(0, 30), max_size=30), st.integers(1, 20))
def test_shares_fit_or_stand_alone_and_every_task_ends(
    shares: list[int], size: int
) -> None:
    held: list[int] = []
    done: list[int] = []

    async def work(room: Room, share: int) -> None:
        async with room.taken(share):
            held.append(share)
            heavy = [each for each in held if each]
            assert sum(heavy) <= size or len(heavy) == 1
            await anyio.lowlevel.checkpoint()
            held.remove(share)
            done.append(share)

    async def run() -> None:
        room = Room(size)
        async with anyio.create_task_group() as tasks:
            for share in shares:
                tasks.start_soon(work, room, share)

    anyio.run(run)
    assert sorted(done) == sorted(shares)


@pytest.mark.anyio
async def test_a_cancelled_task_frees_its_share() -> None:
    room = Room(10)
    with anyio.move_on_after(0) as scope:
        async with room.taken(10):
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    with anyio.fail_after(5):
        async with room.taken(10):
            pass


def _line(raw: bytes) -> Line:
    return Line(None, 1, raw, whole=True, max_bytes=RESULT_LINE.max_bytes)


def test_a_line_of_very_many_values_is_refused() -> None:
    values = b",".join([b"[]"] * 1_100_000)
    start = (
        b'{"result_id":"r","task_id":"t","output":{"final_answer":"x","outputs":{"a":['
    )
    rejected = _line(start + values + b"]}}}").read()
    assert isinstance(rejected, Rejected)
    assert "holds more than 1,000,000 values" in rejected.problem


@pytest.mark.parametrize(("count", "is_kept"), [(10, True), (100_000, False)])
def test_only_a_short_line_is_kept_parsed(count: int, is_kept: bool) -> None:
    start = (
        b'{"result_id":"r","task_id":"t","output":{"final_answer":"x","outputs":{"a":['
    )
    line = _line(start + b",".join([b"[]"] * count) + b"]}}}")
    assert line.glance() is not None
    first, second = line.read(), line.read()
    assert isinstance(first, Accepted)
    assert first == second
    assert (first is second) is is_kept


def test_what_a_value_takes_is_not_guessed_too_low() -> None:
    import tracemalloc

    from judgemesh.mesh.inputs.strict_json import from_json

    for value in (b"[]", b"{}", b"1.5", b'"ab"', b"null", b'{"k":[]}'):
        text = b"[" + b",".join([value] * 50_000) + b"]"
        tracemalloc.start()
        kept = from_json(text)
        taken_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(kept) == 50_000
        assert taken_bytes <= parsed_bytes(text)
