"""From state evidence to changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.state.evidence import changes_of


def result(state: object) -> AgentResult:
    """A result with this state evidence."""
    return AgentResult.model_validate(
        {"result_id": "r1", "task_id": "t", "state": state}
    )


def test_none_means_no_evidence(tmp_path: Path) -> None:
    assert changes_of(result(None), tmp_path) is None
    assert changes_of(result({}), tmp_path) is None


def test_a_ready_diff_is_taken_as_it_is(tmp_path: Path) -> None:
    assert changes_of(result({"diff": []}), tmp_path) == ()
    changes = changes_of(result({"diff": [{"path": "a/b", "after": 1}]}), tmp_path)
    assert changes is not None
    assert [(change.path, change.op) for change in changes] == [("/a/b", "add")]


def test_documents_are_compared(tmp_path: Path) -> None:
    changes = changes_of(result({"before": {"a": 1}, "after": {"a": 2}}), tmp_path)
    assert changes is not None
    assert [(change.path, change.before, change.after) for change in changes] == [
        ("/a", 1, 2)
    ]
    assert changes_of(result({"before": None, "after": None}), tmp_path) == ()


def test_files_are_relative_to_the_base_folder(tmp_path: Path) -> None:
    (tmp_path / "before.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    (tmp_path / "after.json").write_text('{"a": 1, "b": []}')
    changes = changes_of(
        result({"before_path": "before.json", "after_path": "after.json"}), tmp_path
    )
    assert changes is not None
    assert [change.path for change in changes] == ["/b"]
    mixed = changes_of(
        result({"before": {}, "after_path": "./after.json"}),
        tmp_path,
    )
    assert mixed is not None
    assert len(mixed) == 2


@pytest.mark.parametrize(
    ("state", "files", "message"),
    [
        ({"after": {}}, {}, "no `before`"),
        ({"before_path": "b.json"}, {"b.json": b"{}"}, "no `after`"),
        (
            {"before": 1, "after_path": "missing.json"},
            {},
            "cannot be read: No such file",
        ),
        ({"before": 1, "after_path": "."}, {}, "cannot be read"),
        ({"before": 1, "after_path": "a\x00b"}, {}, "is no usable path"),
        ({"before": 1, "after_path": "../x.json"}, {}, "leads out of the folder"),
        ({"before": 1, "after_path": "x.json"}, {"x.json": b""}, "no JSON document"),
        ({"before": 1, "after_path": "x.json"}, {"x.json": b"{"}, "no JSON document"),
        (
            {"before": 1, "after_path": "x.json"},
            {"x.json": b'{"a": 1, "a": 2}'},
            "no JSON document",
        ),
        (
            {"before": 1, "after_path": "x.json"},
            {"x.json": b"[NaN]"},
            "no JSON document",
        ),
        (
            {"before": 1, "after_path": "x.json"},
            {"x.json": b"\xff\xfe\x00"},
            "no JSON document",
        ),
        (
            {"before": 1, "after_path": "x.json"},
            {"x.json": b"[" * 100_000},
            "no JSON document",
        ),
    ],
)
def test_bad_evidence_is_one_clear_line(
    tmp_path: Path, state: dict[str, Any], files: dict[str, bytes], message: str
) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        changes_of(result(state), tmp_path)
    text = str(caught.value)
    assert message in text
    assert "'r1'" in text
    assert "\n" not in text
