"""The file of labels survives whatever ends the process, and takes nothing for labels that is none."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.labelling.log import (
    Label,
    LabelLog,
    label_json,
    label_of,
    last_words,
)
from judgemesh.mesh.labelling.tree import OUTCOME_TREE

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)
WAYS = sorted(OUTCOME_TREE.paths())


@st.composite
def labels(draw: st.DrawFn) -> Label:
    answers, outcome = draw(st.sampled_from(WAYS))
    text = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
    return Label(
        result_id=draw(text.filter(bool)),
        task_id=draw(text),
        outcome=outcome,
        labeler=draw(st.sampled_from(["ann", "bob"])),
        answers=answers,
        note=draw(text),
        drawn=draw(st.sampled_from(["", "at_random", "chosen"])),
        labelled_at=NOON,
        seconds=draw(st.none() | st.floats(0, 1e6)),
    )


def keep(path: Path, *many: Label) -> bytes:
    log = LabelLog.open(path)
    for one in many:
        log.append(one)
    log.close()
    return path.read_bytes()


def read(path: Path) -> tuple[Label, ...]:
    log = LabelLog.open(path)
    log.close()
    return log.labels


ANN = Label(
    result_id="r1",
    task_id="t",
    outcome=WAYS[0][1],
    labeler="ann",
    answers=WAYS[0][0],
    labelled_at=NOON,
    seconds=1.5,
)


@given(labels())
def test_a_line_reads_back_as_it_was(label: Label) -> None:
    assert label_of(json.loads(json.dumps(label_json(label)))) == label


def test_a_line_has_the_documented_keys(tmp_path: Path) -> None:
    (row,) = [
        json.loads(line)
        for line in keep(tmp_path / "out" / "l.jsonl", ANN).splitlines()
    ]
    assert row == {
        "result_id": "r1",
        "task_id": "t",
        "outcome_class": "abandoned",
        "labeler": "ann",
        "path": {"output": "no"},
        "note": None,
        "drawn": None,
        "labelled_at": "2030-01-31T12:00:00+00:00",
        "seconds": 1.5,
    }


def test_wherever_a_write_is_cut_the_whole_lines_stand(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    raw = keep(path, ANN, ANN)
    first = raw.index(b"\n") + 1
    for end in range(first, len(raw) + 1, 7):
        path.write_bytes(raw[:end])
        whole = 2 if end >= len(raw) - 1 else 1
        assert len(read(path)) == whole
        again = keep(path, ANN)
        assert len(again.splitlines()) == whole + 1
        assert all(json.loads(line) for line in again.splitlines())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            '{"result_id": "r1", "outcome_class": "complete", "rationale": "why"}',
            "has no labeler",
        ),
        ('{"labeler": "ann", "outcome_class": "complete"}', "has no result_id"),
        (
            '{"result_id": "r1", "labeler": "ann", "outcome_class": "great"}',
            "expected complete",
        ),
        (
            '{"result_id": "r1", "labeler": "ann", "outcome_class": ["complete"]}',
            "expected complete",
        ),
        (
            '{"result_id": "r1", "labeler": "ann", "outcome_class": "complete", "labelled_at": "noon"}',
            "labelled_at",
        ),
        ("[]", "must be an object"),
        ("{", "is no JSON"),
        ("\xff", "is no JSON"),
        ("[" * 100_000, "maximum recursion"),
    ],
)
def test_what_is_no_file_of_labels_is_refused_and_left_alone(
    tmp_path: Path, line: str, words: str
) -> None:
    path = tmp_path / "l.jsonl"
    before = keep(path, ANN) + line.encode("latin-1") + b"\n"
    path.write_bytes(before)
    with pytest.raises(ConfigError, match=words) as caught:
        LabelLog.open(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert path.read_bytes() == before


def test_a_last_line_of_something_else_is_not_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"dear diary")
    with pytest.raises(ConfigError, match="is no line of labels"):
        LabelLog.open(path)
    assert path.read_bytes() == b"dear diary"
    for place in (tmp_path, Path("/dev/full")):
        with pytest.raises(ConfigError, match="is no file"):
            LabelLog.open(place)
    with pytest.raises(ConfigError, match="cannot be used for labels"):
        LabelLog.open(path / "below.jsonl")


def test_the_last_word_of_each_person_counts() -> None:
    changed = label_of(
        {**label_json(ANN), "outcome_class": "complete", "path": {"output": "yes"}}
    )
    assert changed.answers == (True,)
    other = label_of({**label_json(ANN), "labeler": "bob"})
    second = label_of({**label_json(ANN), "result_id": "r2"})
    assert last_words([ANN, second, changed, other], "ann") == {
        "r2": second,
        "r1": changed,
    }
    assert list(last_words([ANN, second, changed], "ann")) == ["r2", "r1"]


@pytest.mark.parametrize(
    "path", [None, [], "yes", {"output": "maybe"}, {"fabricated": "yes"}, {"output": 1}]
)
def test_a_path_of_another_tree_is_not_read_as_one_of_this(path: object) -> None:
    assert label_of({**label_json(ANN), "path": path}).answers == ()
