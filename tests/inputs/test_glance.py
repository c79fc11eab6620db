"""What a line says its id is, without validating it: the id that the result has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.inputs.results import Accepted, Line

IDS = st.one_of(
    st.text(min_size=1, max_size=12),
    st.sampled_from(
        ["a", 'a"b', "a\\b", "a b", "é", "\x7f", "\t", "a" * 200, "a" * 201]
    ),
)
KEYS = ("result_id", "task_id", "output")


def line_of(raw: bytes, *, whole: bool = True) -> Line:
    return Line(Path("f"), 1, raw, whole, 10**6)


@given(
    result_id=IDS,
    order=st.permutations(KEYS),
    escaped=st.booleans(),
    indent=st.sampled_from([None, 1]),
)
def test_it_is_the_id_of_the_result(
    result_id: str, order: list[str], escaped: bool, indent: int | None
) -> None:
    values: dict[str, Any] = {"result_id": result_id, "task_id": "t", "output": "x"}
    text = json.dumps(
        {key: values[key] for key in order}, ensure_ascii=escaped, indent=indent
    )
    line = line_of(text.encode(errors="surrogatepass"))
    glanced = line.glance()
    read = line.read()
    if isinstance(read, Accepted):
        assert glanced == read.result.result_id


@pytest.mark.parametrize(
    ("raw", "glanced"),
    [
        (b'{"result_id": "a", "task_id": ', "a"),
        (b'{"result_id": "a", "result_id": "b"}', "a"),
        (b'{"task_id": "t", "result_id": ', None),
        (b'{"output": {"result_id": "a"}}', None),
        (b'[{"result_id": "a"}]', None),
        (b'{"result_id": ""}', ""),
        (b'{"result_id": "a', None),
    ],
)
def test_a_line_that_is_no_result_is_refused_when_it_is_read(
    raw: bytes, glanced: str | None
) -> None:
    line = line_of(raw)
    assert line.glance() == glanced
    assert not isinstance(line.read(), Accepted)


def test_a_line_that_was_cut_has_no_id() -> None:
    assert line_of(b'{"result_id": "a", "task_id": "t"}', whole=False).glance() is None
