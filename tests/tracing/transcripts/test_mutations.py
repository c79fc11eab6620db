"""Damaged transcripts: no traceback, and no call is lost without the trace being unread."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import pytest

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import format_named
from judgemesh.mesh.tracing.readers.ingest import read_traces

from .cases import CASES

MUTATIONS: Final = 40
SWAPS: Final[tuple[Any, ...]] = (None, [1, {"a": None}], 7, -1, 1e30, True)
"""Nothing empty: an empty list or text is a transcript in which less was said."""
AROUND: Final = frozenset(
    {
        "content",
        "event",
        "messages",
        "metadata",
        "model_output_message",
        "new_items",
        "response",
        "steps",
        "tasks_output",
        "tool_calls",
        "toolsCalled",
    }
)
"""What holds all messages or calls of a form. Without it a file is one in which none were made."""


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items: Any = ()
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        items = enumerate(cast("list[Any]", value))
    for key, item in items:
        yield (*path, key)
        yield from _places(item, (*path, key))


def _mutated(value: Any, random: Random) -> tuple[Any, tuple[Any, ...]]:
    changed = deepcopy(value)
    path = random.choice(list(_places(changed)))
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    if isinstance(parent, dict) and random.random() < 0.3:
        del parent[path[-1]]
    else:
        parent[path[-1]] = deepcopy(random.choice(SWAPS))
    return changed, path


def _read(name: str, value: Any) -> list[Conversation]:
    try:
        return list(format_named(name).read(Document("memory", given=[value])))
    except InputError:
        return []


@pytest.mark.parametrize("name", CASES)
def test_a_damaged_transcript_loses_no_call_silently(name: str, tmp_path: Path) -> None:
    random = Random(name)  # noqa: S311 (a fixed order)
    value = CASES[name]("list_bikes")
    path = tmp_path / "t.json"
    for _ in range(MUTATIONS):
        changed, place = _mutated(value, random)
        found = _read(name, changed)
        calls = [call for conversation in found for call in conversation.calls]
        is_unread = any(conversation.unread for conversation in found)
        is_smaller = place[-1] in AROUND
        assert calls or is_unread or not found or is_smaller, place

        path.write_text(json.dumps(changed), encoding="utf-8")
        try:
            list(read_traces([path]))
        except InputError:
            continue
