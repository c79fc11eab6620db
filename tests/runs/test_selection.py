"""Which lines of the input a batch grades, before anything is validated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgemesh.mesh.inputs.results import Accepted, Rejected
from judgemesh.mesh.runs.selection import BatchOptions, Selected, Selection

pytestmark = pytest.mark.anyio


async def chosen(
    tmp_path: Path, lines: list[dict[str, object]], *, delay: int, **options: Any
) -> tuple[list[tuple[int, str]], list[str]]:
    """Places and ids of the results, and the problems; each line is settled `delay` lines after it was selected."""
    path = tmp_path / "results.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    problems: list[str] = []

    def reject(rejected: Rejected, _path: Path | None) -> None:
        problems.append(rejected.problem.removeprefix(f"{path}:"))

    selection = Selection(BatchOptions(results=(path,), **options), reject)
    results: list[tuple[int, str]] = []
    waiting: list[Selected] = []

    def settle(selected: Selected) -> None:
        read = selected.line.read()
        selection.settle(selected, usable=isinstance(read, Accepted))
        if isinstance(read, Rejected):
            reject(read, path)
        else:
            results.append((selected.index, read.result.result_id))

    async for (selected,) in selection.chunks(1):
        waiting.append(selected)
        if len(waiting) > delay:
            settle(waiting.pop(0))
    for selected in waiting:
        settle(selected)
    return results, problems


VALID: dict[str, object] = {"result_id": "a", "task_id": "t", "output": "first"}
FAULTY: dict[str, object] = {"result_id": "a", "task_id": ["t"]}


@pytest.mark.parametrize("delay", [0, 1, 5])
async def test_the_first_line_of_an_id_that_is_a_result_stands(
    tmp_path: Path, delay: int
) -> None:
    lines = [FAULTY, VALID, {**VALID, "output": "second"}, {**FAULTY, "task_id": 1.5}]
    results, problems = await chosen(tmp_path, lines, delay=delay)
    assert [result_id for _, result_id in results] == ["a"]
    assert sorted(problem.partition(":")[0] for problem in problems) == ["1", "3", "4"]
    assert any("was already on line 2" in problem for problem in problems)


@pytest.mark.parametrize("delay", [0, 5])
async def test_the_limit_counts_results_only(tmp_path: Path, delay: int) -> None:
    others: list[dict[str, object]] = [
        {"result_id": f"r{number}", "task_id": "t"} for number in range(3)
    ]
    results, problems = await chosen(tmp_path, [FAULTY, *others], delay=delay, limit=2)
    assert [result_id for _, result_id in results] == ["r0", "r1"]
    assert len(problems) == 1


async def test_filters_see_the_result(tmp_path: Path) -> None:
    lines = [{**VALID, "status": "done"}, {**VALID, "result_id": "b", "status": "ok"}]
    for filters, expected in [(("status=completed",), ["a", "b"]), (("b",), ["b"])]:
        results, _ = await chosen(tmp_path, lines, delay=0, filters=filters)
        assert [result_id for _, result_id in results] == expected
