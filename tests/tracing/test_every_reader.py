"""Of every trace format: a file that is imported twice, in any order, in parts, changes nothing."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.mesh.tracing.readers.registry import GROUP, reader_for
from judgemesh.mesh.tracing.readers.source import TraceFile

from .export_parts import EXPORTS, Export
from .imported import import_files, rows_of


@cache
def _export(name: str) -> Export:
    return EXPORTS[name]()


def _written(folder: Path, *texts: bytes) -> list[Path]:
    """The texts as files; their names say nothing of their order."""
    start = sum(1 for _ in folder.iterdir())
    paths = [folder / f"{number}.export" for number in range(start, start + len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    return paths


@cache
def _imported_once(name: str) -> dict[str, list[Any]]:
    with TemporaryDirectory() as folder:
        ledger = Path(folder, "ledger.db")
        import_files(ledger, _written(Path(folder), _export(name).whole))
        return rows_of(ledger)


def test_every_reader_of_judgemesh_has_an_export() -> None:
    ours = [
        point.name
        for point in entry_points(group=GROUP)
        if point.value.startswith("judgemesh.")
    ]

    assert sorted(EXPORTS) == sorted(ours)


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_of_its_format_and_costs_something(
    name: str, tmp_path: Path
) -> None:
    export = _export(name)
    paths = _written(tmp_path, export.whole, *export.parts)
    rows = _imported_once(name)

    assert {reader_for(TraceFile(path)).name for path in paths} == {name}
    assert sum(row["output_tokens"] or 0 for row in rows["trace_step"]) > 0
    assert sum(row["total_cost"] or 0 for row in rows["trace_run"]) > 0


@pytest.mark.parametrize("name", EXPORTS)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_twice_in_any_order_in_parts_changes_nothing(
    name: str, data: st.DataObject
) -> None:
    export = _export(name)
    parts = list(export.parts)
    again = data.draw(st.lists(st.sampled_from([*parts, export.whole]), max_size=4))
    order = data.draw(st.permutations([*parts, *again]))
    # After each part: whether the file ends, and whether the command ends.
    ends = data.draw(
        st.lists(
            st.tuples(st.booleans(), st.integers(0, 3)),
            min_size=len(order),
            max_size=len(order),
        )
    )
    with TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        ledger = folder / "ledger.db"
        texts: list[bytes] = []
        command: list[Path] = []
        for part, (ends_file, rest) in zip(order, ends, strict=True):
            texts.append(part)
            if ends_file or not export.are_lines:
                command += _written(folder, b"\n".join(texts))
                texts = []
            if command and rest == 0:
                import_files(ledger, command)
                command = []
        if texts:
            command += _written(folder, b"\n".join(texts))
        if command:
            import_files(ledger, command)

        assert rows_of(ledger) == _imported_once(name)

        before = rows_of(ledger, moments=True)
        import_files(ledger, _written(folder, export.whole))
        assert rows_of(ledger, moments=True) == before
