"""Which results a session is about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.labelling.choose import ResultChoice, choose, read_reference
from judgemesh.mesh.labelling.reference import CanonicalLabel


def write(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(
            (row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows
        )
    )
    return path


def rows(*numbers: int) -> list[dict[str, object]]:
    return [
        {
            "result_id": f"r{number}",
            "task_id": "t",
            "split": "test" if number % 2 else "calibration",
        }
        for number in numbers
    ]


def canonical(result_id: str, **more: object) -> dict[str, object]:
    return {
        "result_id": result_id,
        "outcome_class": "complete",
        "rationale": "why",
        **more,
    }


def ids(
    *files: Path, reference: dict[str, CanonicalLabel] | None = None, **choice: Any
) -> list[str]:
    problems: list[str] = []
    found = choose(files, ResultChoice(**choice), reference, problems.append)
    return [one.result.result_id for one in found]


def test_the_order_is_that_of_the_files_or_of_the_seed(tmp_path: Path) -> None:
    one, two = (
        write(tmp_path / "1.jsonl", *rows(3, 1)),
        write(tmp_path / "2.jsonl", *rows(2, 1, 0)),
    )
    assert ids(one, two) == ["r3", "r1", "r2", "r0"]
    shuffled = ids(one, two, shuffle=True, seed=7)
    assert sorted(shuffled) == ["r0", "r1", "r2", "r3"]
    assert ids(two, one, shuffle=True, seed=7) == shuffled
    assert ids(one, two, shuffle=True, seed=7, limit=2) == shuffled[:2]
    assert len({tuple(ids(one, two, shuffle=True, seed=seed)) for seed in range(9)}) > 1


def test_adding_results_does_not_move_those_that_were_there(tmp_path: Path) -> None:
    few, many = (
        write(tmp_path / "few.jsonl", *rows(*range(20))),
        write(tmp_path / "many.jsonl", *rows(*range(40))),
    )
    before = ids(few, shuffle=True)
    assert [name for name in ids(many, shuffle=True) if name in set(before)] == before


def test_a_split_is_that_of_the_reference_else_of_the_result(tmp_path: Path) -> None:
    results = write(tmp_path / "r.jsonl", *rows(0, 1, 2))
    assert ids(results, split="calibration") == ["r0", "r2"]
    reference = read_reference(
        write(tmp_path / "ref.jsonl", canonical("r0", split="test"), canonical("r1"))
    )
    assert ids(results, reference=reference, split="test") == ["r0"]
    assert ids(results, reference=reference) == ["r0", "r1"]
    with pytest.raises(
        ConfigError,
        match=r"no result is in the split 'x' \(there is: calibration, test\)",
    ):
        ids(results, split="x")


def test_lines_that_cannot_be_used_are_told_once_and_left_out(tmp_path: Path) -> None:
    results = write(tmp_path / "r.jsonl", "{", *rows(1, 1))
    problems: list[str] = []
    assert len(choose([results], ResultChoice(), None, problems.append)) == 1
    assert [problem.split(": ")[0] for problem in problems] == [
        f"{results}:1",
        f"{results}:3",
    ]
    with pytest.raises(ConfigError, match="holds no result that can be used"):
        ids(write(tmp_path / "none.jsonl", "{"))
    with pytest.raises(ConfigError, match="no result has a canonical label"):
        ids(results, reference={})


def test_a_reference_is_a_file_or_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path / "a/labels.jsonl",
        canonical("a", near="partial+", split="test", decided_by="rules"),
    )
    write(tmp_path / "b/labels.jsonl", canonical("b", outcome_class="abandoned"))
    write(tmp_path / "b/contracts.yaml", "no labels")
    found = read_reference(tmp_path)
    assert {name: one.outcome.value for name, one in found.items()} == {
        "a": "complete",
        "b": "abandoned",
    }
    assert (found["a"].near, found["a"].split, found["a"].rationale) == (
        OutcomeClass.PARTIAL_PLUS,
        "test",
        "why",
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "is no JSON"),
        ("3", "must be an object"),
        ({"outcome_class": "complete"}, "needs a result_id"),
        (canonical("a", outcome_class="fine"), "expected complete"),
        (canonical("a", outcome_class={}), "expected complete"),
        (canonical("a", near="far"), "near is 'far'"),
        (canonical("first"), "'first' has a canonical label already"),
    ],
)
def test_a_wrong_canonical_label_is_named_by_its_line(
    tmp_path: Path, line: object, words: str
) -> None:
    path = write(tmp_path / "labels.jsonl", canonical("first"), line)
    with pytest.raises(ConfigError, match=words) as caught:
        read_reference(path)
    assert str(caught.value).startswith(f"{path}:2: ")


def test_a_reference_without_labels_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, write(tmp_path / "empty.jsonl")):
        with pytest.raises(ConfigError, match="holds no canonical label"):
            read_reference(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_reference(tmp_path / "none.jsonl")
