from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.tracing.readers import json_window
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    StreamValue,
    walk,
)

_ELEMENTS = StreamPlan(keys={"a": StreamPlan(each=WHOLE_VALUE)})
_PLAN = StreamPlan(keys=_ELEMENTS.keys, each=_ELEMENTS)

_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def _walk(text: str | bytes, *, lines: bool = False) -> list[StreamValue | StreamFault]:
    return list(
        walk(
            io.BytesIO(text.encode() if isinstance(text, str) else text),
            _PLAN,
            lines=lines,
        )
    )


@given(
    elements=st.lists(_VALUES, max_size=5),
    beside=_VALUES,
    chunk=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
)
def test_values_are_those_of_the_whole_document_wherever_the_chunks_end(
    elements: list[Any], beside: Any, chunk: int, indent: int | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_window, "CHUNK_BYTES", chunk)
        found = _walk(
            json.dumps({"a": elements, "b": beside}, ensure_ascii=False, indent=indent)
        )

    items = [item for item in found if isinstance(item, StreamValue)]
    assert found == items
    assert [item.value for item in items if item.path[1] == "a"] == elements
    assert [item.value for item in items if item.path[1] == "b"] == [beside]


@pytest.mark.parametrize(
    ("text", "lines", "values", "problems"),
    [
        ("", False, [], []),
        ("\ufeff" + '{"a": [1]}', False, [1], []),
        ('[{"a": [1]}, {"a": []}, {"a": [2]}]', False, [1, 2], []),
        ('{"a": [1]} {"a": [2]}', False, [1, 2], []),
        ('{"a": [1, {"x": tru}, 2]}', False, [1, 2], ["not valid JSON: Expecting value"]),
        (
            '{"a": [1, {"x": [1}, 2]}',
            False,
            [1],
            ["not valid JSON: Expecting ',' delimiter", "expected , or ], found '}'"],
        ),
        ('{"a": [1, 2', False, [1, 2], ["expected , or ], found the end of the file"]),
        ('{"a": 1 "b"', False, [1], ["expected , or }, found '\"'"]),
        ("{1: 2}", False, [], ["expected a name in quotes, found '1'"]),
        ('{"a": [1]}\n{"a": [nope]}\n{"a": [2]}', True, [1, 2], ["not valid JSON: Expecting value"]),
        ('{"a": [1\n{"a": [2]}', True, [1, 2], ["expected , or ], found '{'"]),
        ('{"a": ["x]}\n{"a": [2]}', True, [2], ["not valid JSON: Invalid control character at"]),
        ('{"a": [' + "[" * 100_000 + "]" * 100_000 + ", 1]}", False, [1], ["not readable: nested too deeply"]),
        ('{"a": [{"x": ' + "9" * 5_000 + "}, 1]}", False, [1], ["not readable: Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits"]),
    ],
)  # fmt: skip
def test_what_is_broken_is_said_and_the_rest_is_read(
    text: str, lines: bool, values: list[int], problems: list[str]
) -> None:
    found = _walk(text, lines=lines)

    assert [item.value for item in found if isinstance(item, StreamValue)] == values
    assert [
        broken.problem for broken in found if isinstance(broken, StreamFault)
    ] == problems


def test_bytes_that_are_no_utf8_do_not_end_the_reading() -> None:
    assert [
        item.value
        for item in _walk(b'{"a": ["\xff", 1]}')
        if isinstance(item, StreamValue)
    ] == ["\ufffd", 1]


def test_places_are_lines_and_paths() -> None:
    found = _walk('{"a": [\n  1,\n  {"x": nope},\n  2]}')

    assert [(one.line, one.path) for one in found] == [
        (2, (0, "a", 0)),
        (3, (0, "a", 1)),
        (4, (0, "a", 2)),
    ]


def test_a_value_longer_than_the_limit_is_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_window, "MAX_VALUE_CHARS", 1_000)
    monkeypatch.setattr(json_window, "CHUNK_BYTES", 100)

    found = _walk(json.dumps({"a": [1, {"x": 'quo"te\\' * 2_000, "y": [[]]}, 2]}))

    assert [
        one.value if isinstance(one, StreamValue) else one.problem for one in found
    ] == [
        1,
        "longer than 0 MiB",
        2,
    ]
