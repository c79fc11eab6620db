"""What an output may replace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.replaceable import check_replaceable, write_replaceable

FOREIGN = {
    "results": b'{"result_id":"a","task_id":"t","output":{}}\n',
    "recording": b'{"key": "a", "answer": "yes"}\n',
    "ledger": b"SQLite format 3\x00",
    "other tests": b'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">',
    "readme": b"# Refunds\n",
    "settings": b'{"judge": "a"}',
}


@pytest.mark.parametrize("kind", [".jsonl", ".xml", ".md", ".json", ".rejects"])
@pytest.mark.parametrize("name", list(FOREIGN))
def test_a_file_of_another_kind_is_not_replaced(
    name: str, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    path.write_bytes(FOREIGN[name])
    with pytest.raises(ConfigError, match="is not replaced") as caught:
        check_replaceable(path, kind)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("kind", [".jsonl", ".rejects"])
def test_what_is_no_file_or_holds_nothing_is_not_refused(
    kind: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for name in ("empty", "pipe", "absent"):
        check_replaceable(tmp_path / name, kind)


@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize(
    "kind",
    [
        *("bill.html", "bill.json", "questions.jsonl", "questions.csv"),
        *("snapshot", "rollback.json", "ra.jsonl"),
    ],
)
def test_further_outputs_replace_their_own_kind(
    tmp_path: Path, kind: str, foreign: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(foreign)
    with pytest.raises(ConfigError, match="is not replaced"):
        check_replaceable(path, kind)
    assert path.read_bytes() == foreign


def test_a_file_is_whole_at_every_moment(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "before.json"
    write_replaceable(path, '{"judgemesh_snapshot": 1}', "snapshot")
    reader = path.open()
    write_replaceable(path, '{"judgemesh_snapshot": 1, "state": {}}', "snapshot")
    with reader:
        assert reader.read() == '{"judgemesh_snapshot": 1}'
    assert [each.name for each in path.parent.iterdir()] == ["before.json"]
    path.write_text("[3]")
    with pytest.raises(ConfigError, match="is not replaced"):
        write_replaceable(path, "{}", "snapshot")
    assert path.read_text() == "[3]"


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    full = Path("/dev/full")
    write_replaceable(Path("/dev/null"), "{}", "snapshot")
    with pytest.raises(ConfigError, match="cannot be written: No space left"):
        write_replaceable(full, "{}", "snapshot")
    assert full.is_char_device()
    with pytest.raises(ConfigError, match="cannot be written"):
        write_replaceable(Path("/proc/nowhere/a.json"), "{}", "snapshot")


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_no_output_is_taken_for_a_part_of_a_ledger(tmp_path: Path, ending: str) -> None:
    with pytest.raises(ConfigError, match="beside a database"):
        check_replaceable(tmp_path / f"ledger.db{ending}", ".rejects")
