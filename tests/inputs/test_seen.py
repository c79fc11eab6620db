"""The memory of result ids says the same whether ids are in memory or in its file."""

from __future__ import annotations

import sqlite3
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.inputs.seen import Seen

IDS = st.text(alphabet="abcdé", min_size=1, max_size=2)
STEPS = st.lists(st.tuples(st.sampled_from(["read", "read", "read", "forget"]), IDS))


@given(steps=STEPS, size=st.integers(1, 6))
def test_the_first_place_of_an_id_stands(
    steps: list[tuple[str, str]], size: int
) -> None:
    seen = Seen(max_in_memory=size)
    first: dict[str, tuple[str, int]] = {}
    for number, (step, name) in enumerate(steps, start=1):
        file = f"part{number // 5}.jsonl"
        if step == "forget":
            seen.forget(name)
            first.pop(name, None)
            continue
        problem = seen.repeated(name, file, number)
        if name not in first:
            assert problem is None
            first[name] = (file, number)
            continue
        first_file, line = first[name]
        place = f"line {line}" if first_file == file else f"{first_file}:{line}"
        assert problem == f"result_id {name!r} was already on {place}"


def test_its_file_is_closed_in_any_thread() -> None:
    """The garbage collector runs where it is due."""
    seen = Seen(max_in_memory=1)
    assert seen.repeated("a", "f", 1) is None
    older = seen._older
    assert older is not None
    closing = threading.Thread(target=older.close)
    closing.start()
    closing.join()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        older.execute("SELECT 1")
