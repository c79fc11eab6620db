from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.judging.client.cache import (
    MemoryCache,
    cache_key,
    reply_from_json,
    reply_to_json,
)
from judgemesh.mesh.judging.message_json import (
    Constant,
    messages_json,
    messages_sha256,
)
from judgemesh.prompts.json_text import JsonText, PromptMessages

CALL = ModelCall(
    model="openai/gpt-4.1-mini",
    messages=({"role": "user", "content": "Is it so?"},),
    parameters={"temperature": 0.0, "max_tokens": 8},
    response_schema={"type": "object"},
    question_id="q",
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/gpt-4.1"},
        {"messages": ({"role": "user", "content": "Is it so? "},)},
        {"messages": ({"role": "system", "content": "Is it so?"},)},
        {"parameters": {"temperature": 0.0}},
        {"parameters": {"temperature": 0.5, "max_tokens": 8}},
        {"response_schema": None},
        {"response_schema": {"type": "array"}},
        {"sample_index": 1},
    ],
)
def test_whatever_can_change_the_answer_changes_the_key(change: dict[str, Any]) -> None:
    assert cache_key(replace(CALL, **change), gateway="litellm") != cache_key(
        CALL, gateway="litellm"
    )


def test_what_cannot_change_the_answer_does_not() -> None:
    key = cache_key(CALL, gateway="litellm")
    assert key.startswith("sha256:")
    assert key == cache_key(
        replace(CALL, timeout_s=1, question_id="other"), gateway="litellm"
    )
    assert key == cache_key(
        replace(CALL, parameters={"max_tokens": 8, "temperature": 0.0}),
        gateway="litellm",
    )
    assert key != cache_key(CALL, gateway="scripted")


COUNTS = st.integers(0, 10**6)
USAGE = st.builds(
    Usage,
    COUNTS,
    COUNTS,
    COUNTS,
    COUNTS,
    COUNTS,
    st.dictionaries(st.text(), st.integers()),
    searches=COUNTS,
    service_tier=st.sampled_from(["", "flex", "batch"]),
)
REPLIES = st.builds(
    ModelReply,
    text=st.text(),
    model_served=st.none() | st.text(),
    usage=st.none() | USAGE,
    provider_cost=st.none() | st.floats(0, 1),
    finish_reason=st.none() | st.text(),
)


@given(REPLIES)
def test_a_reply_survives_the_way_through_json(reply: ModelReply) -> None:
    back = reply_from_json(reply_to_json(reply))
    assert back == reply
    assert (back.usage and back.usage.raw) == (reply.usage and reply.usage.raw)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "must be an object"),
        ({}, "needs a text"),
        ({"text": 3}, "needs a text"),
        ({"text": "x", "verdict": "yes"}, "unknown key 'verdict'"),
        ({"text": "x", "usage": {"tokens": 3}}, "usage"),
        ({"text": "x", "usage": {"output_tokens": -1}}, "whole numbers"),
        ({"text": "x", "usage": {"output_tokens": "3"}}, "whole numbers"),
        ({"text": "x", "usage": 3}, "usage"),
    ],
)
def test_a_reply_that_cannot_be_read_says_why(data: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        reply_from_json(data)


@pytest.mark.anyio
async def test_the_memory_cache_is_bounded_and_keeps_what_is_used() -> None:
    cache = MemoryCache(max_bytes=4)
    await cache.cache_put("a", "1", created_at=NOW)
    await cache.cache_put("b", "2", created_at=NOW)
    assert await cache.cache_get("a") == "1"
    await cache.cache_put("c", "3", created_at=NOW)
    assert [await cache.cache_get(key) for key in "abc"] == ["1", None, "3"]
    assert len(cache) == 2
    await cache.cache_put("a", "123", created_at=NOW)
    assert [await cache.cache_get(key) for key in "abc"] == ["123", None, None]
    await cache.cache_put("d", "far too long", created_at=NOW)
    assert len(cache) == 0
    with pytest.raises(ValueError, match="max_bytes"):
        MemoryCache(max_bytes=0)


def test_a_reply_keeps_every_field_of_its_usage() -> None:
    usage = Usage(
        3,
        output_tokens=2,
        cache_reported=False,
        output_is_at_most=True,
        service_tier="flex",
    )
    stored = reply_from_json(reply_to_json(ModelReply(text="x", usage=usage))).usage

    assert stored is not None
    for name in Usage.__dataclass_fields__:
        assert getattr(stored, name) == getattr(usage, name), name


def test_the_constant_part_of_calls_is_made_once_for_the_same_objects() -> None:
    made: list[ModelCall] = []

    def make(call: ModelCall) -> str:
        made.append(call)
        return json.dumps(dict(call.parameters))

    constant = Constant(make)
    whole, real = {"temperature": 1}, {"temperature": 1.0}
    for messages in ((), ({"role": "user", "content": "?"},)):
        call = replace(CALL, messages=messages, parameters=whole)
        assert constant.of(call) == '{"temperature": 1}'
        assert constant.of(replace(call, parameters=real)) == '{"temperature": 1.0}'
    assert len(made) == 2
    for number in range(1000):  # parameters that are new each time
        other = replace(CALL, parameters={"seed": number})
        assert constant.of(other) == f'{{"seed": {number}}}'


TEXTS = st.text(max_size=20)
CONTENTS = TEXTS | st.lists(TEXTS).map(JsonText.joined)
ROLES = st.sampled_from(["system", "user", "assistant"])


@given(
    st.lists(
        st.fixed_dictionaries({"role": ROLES, "content": CONTENTS})
        | st.fixed_dictionaries({"role": ROLES, "content": CONTENTS, "name": TEXTS})
        | st.dictionaries(TEXTS, CONTENTS),
        max_size=4,
    )
    | st.builds(PromptMessages.of, TEXTS, st.lists(TEXTS).map(JsonText.joined)),
    TEXTS,
)
def test_messages_are_hashed_as_their_json(
    messages: Sequence[dict[str, str]], around: str
) -> None:
    assert messages_json(messages) == json.dumps(
        messages, sort_keys=True, separators=(",", ":")
    )
    for separators in ((",", ":"), (", ", ": ")):
        text = json.dumps(messages, sort_keys=True, separators=separators)
        digest = hashlib.sha256(f"{around}{text}{around}".encode()).hexdigest()
        comma, colon = separators
        found = messages_sha256(
            messages, before=around, behind=around, comma=comma, colon=colon
        )
        assert found == f"sha256:{digest}"
