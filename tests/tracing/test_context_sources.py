from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.tracing import CONTEXT_SOURCES, StateType
from judgemesh.mesh.tracing.spans.context_sources import (
    ContextPart,
    allot,
    estimate,
    share_out,
    source_of,
    weigh,
    weight_of,
)

_WEIGHTS = st.dictionaries(
    st.sampled_from(CONTEXT_SOURCES), st.integers(0, 10**7), min_size=1
)


@given(weights=_WEIGHTS, total=st.integers(0, 10**7))
def test_shares_add_up_and_none_is_off_by_one(
    weights: dict[str, int], total: int
) -> None:
    parts = share_out(total, weights)

    whole = sum(weights.values())
    assert sum(parts.values()) == (total if whole else 0)
    assert all(
        abs(parts[name] * whole - total * weight) < whole
        for name, weight in weights.items()
        if whole
    )


@given(weights=_WEIGHTS, counted=st.none() | st.integers(1, 10**7))
def test_a_breakdown_adds_up_to_what_was_counted(
    weights: dict[str, int], counted: int | None
) -> None:
    found = estimate({**dict.fromkeys(CONTEXT_SOURCES, 0), **weights}, counted)

    if not any(weights.values()):
        assert found is None
        return
    assert found is not None
    assert found.basis == "estimated"
    assert found.total == (
        counted
        if counted is not None
        else sum(-(-weight // 4) for weight in weights.values())
    )


def test_no_part_is_given_more_than_its_length_can_hold() -> None:
    assert allot(10_000, {"user_instruction": 400}) == {"user_instruction": 100}
    assert allot(120, {"user_instruction": 400}) == {"user_instruction": 120}
    assert allot(50, {"user_instruction": 400}) == {"user_instruction": 50}


@pytest.mark.parametrize(
    ("role", "state", "first", "source"),
    [
        ("user", None, True, "user_instruction"),
        ("user", None, False, "history"),
        ("assistant", None, True, "history"),
        ("system", None, True, "system_prompt"),
        ("skill", None, True, "skill_instruction"),
        ("tool", None, True, "tool_result"),
        ("tool", StateType.API_CALL, True, "tool_result"),
        ("tool", StateType.RETRIEVE, True, "retrieved_context"),
        ("tool", StateType.FILE_READ, True, "artifact_context"),
        ("tool", StateType.MEMORY_READ, True, "memory"),
        ("memory", None, True, "memory"),
        ("document", None, True, "retrieved_context"),
        ("file", None, True, "artifact_context"),
        ("oracle", None, True, "other_context"),
    ],
)
def test_sources(role: str, state: StateType | None, first: bool, source: str) -> None:
    assert source_of(role, state, first_user=first) == source


def test_only_the_first_message_of_the_user_is_the_instruction() -> None:
    weights = weigh(
        [
            (ContextPart("user", 10), None),
            (ContextPart("assistant", 5), None),
            (ContextPart("user", 3), None),
        ]
    )

    assert (weights["user_instruction"], weights["history"]) == (10, 8)


def test_weight_is_length_in_utf8() -> None:
    assert (weight_of("abc"), weight_of("é中"), weight_of("\ud800")) == (3, 5, 1)
