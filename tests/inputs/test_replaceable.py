"""What an output may replace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.replaceable import check_replaceable

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
    "kind", ["bill.html", "bill.json", "questions.jsonl", "questions.csv"]
)
def test_further_outputs_replace_their_own_kind(
    tmp_path: Path, kind: str, foreign: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(foreign)
    with pytest.raises(ConfigError, match="is not replaced"):
        check_replaceable(path, kind)
    assert path.read_bytes() == foreign
