"""The difference of two documents."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.result_parts.changes import StateChange
from judgemesh.mesh.state.diff import diff

keys = st.text(alphabet="ab/~ \u00e90", max_size=3)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.floats(-2, 2)
    | st.text(max_size=3)
)
documents = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=16,
)


def canonical(value: Any) -> Any:
    """A form in which Python's equality is JSON equality: 1 equals 1.0, true is no number."""
    if isinstance(value, dict):
        return {
            key: canonical(item) for key, item in cast("dict[str, Any]", value).items()
        }
    if isinstance(value, list):
        return [canonical(item) for item in cast("list[Any]", value)]
    return ("bool", value) if isinstance(value, bool) else value


def patched(document: Any, change: StateChange) -> Any:
    """RFC 6902: one operation on a document, which is rebuilt along the path."""
    parts = [
        part.replace("~1", "/").replace("~0", "~")
        for part in change.path.split("/")[1:]
    ]
    return _patched(document, parts, change)


def _patched(document: Any, parts: list[str], change: StateChange) -> Any:
    if not parts:
        assert change.op == "replace"
        return change.after
    head, rest = parts[0], parts[1:]
    if isinstance(document, list):
        items, index = list(cast("list[Any]", document)), int(head)
        if rest or change.op == "replace":
            items[index] = _patched(items[index], rest, change)
        elif change.op == "add":
            assert index <= len(items)
            items.insert(index, change.after)
        else:
            del items[index]
        return items
    fields = dict(cast("dict[str, Any]", document))
    if rest or change.op == "replace":
        fields[head] = _patched(fields[head], rest, change)
    elif change.op == "add":
        assert head not in fields
        fields[head] = change.after
    else:
        del fields[head]
    return fields


@given(documents, documents)
def test_applying_the_difference_to_the_start_gives_the_end(
    before: Any, after: Any
) -> None:
    document = before
    for change in diff(before, after):
        document = patched(document, change)
    assert canonical(document) == canonical(after)


@given(documents, documents)
def test_there_is_no_difference_only_between_equals(before: Any, after: Any) -> None:
    assert (diff(before, after) == ()) == (canonical(before) == canonical(after))


@given(documents, documents)
def test_changes_are_what_a_result_line_would_hold(before: Any, after: Any) -> None:
    for change in diff(before, after):
        assert (
            StateChange.model_validate(change.model_dump(exclude_unset=True)) == change
        )
        assert (
            "before" in change.model_fields_set,
            "after" in change.model_fields_set,
        ) == (
            change.op != "add",
            change.op != "remove",
        )


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": 1}, {"a": 2}, [("/a", "replace")]),
        (
            {"a/b": 1, "m~n": 1},
            {"a/b": 2, "m~n": 2},
            [("/a~1b", "replace"), ("/m~0n", "replace")],
        ),
        ({"": 1}, {}, [("/", "remove")]),
        ([1, 2, 3], [1], [("/2", "remove"), ("/1", "remove")]),
        ([1], [1, 2, 3], [("/1", "add"), ("/2", "add")]),
        ({"a": []}, {"a": {}}, [("/a", "replace")]),
        (1, True, [("", "replace")]),
        (1, 1.0, []),
        (None, {"a": 1}, [("", "replace")]),
        ({"o": {"x": 1}}, {"o": {"x": 1, "y": {"z": 2}}}, [("/o/y", "add")]),
    ],
)
def test_examples(
    before: object, after: object, changes: list[tuple[str, str]]
) -> None:
    assert [(change.path, change.op) for change in diff(before, after)] == changes


def deep(depth: int, end: object) -> object:
    """An array in an array in an array."""
    value = end
    for _ in range(depth):
        value = [value]
    return value


def test_deep_documents_do_not_recurse() -> None:
    (change,) = diff(deep(100_000, 1), deep(100_000, 2))
    assert (change.before, change.after) == (1, 2)
    assert change.path.count("/") == 100_000
