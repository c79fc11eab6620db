"""No share of a whole is more than all of it, whatever a trace states."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.steps.from_fields import step_of

from .model_steps import OnePrice

_SHARES: Final = (
    "cache_hit_ratio",
    "tool_context_ratio",
    "validation_repair_rate",
    "refinement_efficiency",
    "retrieval_compression_ratio",
)
_COUNTS: Final = st.integers(0, 9)
_USAGES: Final = st.fixed_dictionaries(
    {"prompt_tokens": _COUNTS, "completion_tokens": _COUNTS},
    optional={
        "prompt_tokens_details": st.fixed_dictionaries({"cached_tokens": _COUNTS})
    },
)
_FIELDS: Final[dict[str, dict[str, Any]]] = {
    "THINK": {"usage": _USAGES},
    "RETRIEVE": {"raw_result_tokens": _COUNTS, "tokens_sent_to_next_llm": _COUNTS},
    "MCP_CALL": {"response_tokens_raw": _COUNTS, "tokens_sent_to_next_llm": _COUNTS},
    "VALIDATE": {"issues_found": _COUNTS, "issues_fixed_later": _COUNTS},
    "REFINE": {"usage": _USAGES, "modified_content_tokens": _COUNTS},
}


def _steps(state: str) -> st.SearchStrategy[dict[str, Any]]:
    """Fields of a step of one state."""
    named = {"state_type": st.just(state), "model_name": st.just("m")}
    return st.fixed_dictionaries({**named, **_FIELDS[state]})


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(_FIELDS)).flatmap(_steps), max_size=6))
def test_a_share_is_at_most_the_whole(rows: list[dict[str, Any]]) -> None:
    steps = tuple(
        step_of(row, trace_id="t", step_id=number)
        for number, row in enumerate(rows, start=1)
    )
    bill = bill_of(priced(Trace(trace_id="t", steps=steps), OnePrice()))

    shares: list[float | None] = [getattr(bill.metrics, name) for name in _SHARES]
    shares += [row.context_ratio for row in bill.by_tool]
    shares += [row.share for row in (*bill.by_state, *bill.by_model)]
    assert all(0 <= share <= 1 for share in shares if share is not None)
