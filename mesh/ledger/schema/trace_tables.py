"""The tables of the agent's own execution trace and bill, never mixed with what the evaluation cost."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table

from judgemesh.mesh.ledger.schema import fields
from judgemesh.mesh.ledger.schema.tables import METADATA


def _step_key() -> tuple[Column[str], Column[int]]:
    return (
        fields.text_key("trace_id"),
        fields.position_key("step_id", wide=True),
    )


trace_run: Final = Table(
    "trace_run",
    METADATA,
    fields.text_key("trace_id"),
    *fields.text("task_id", "agent_id", "skill_id"),
    *fields.time("start_time", "end_time"),
    *fields.count(
        "total_latency_ms",
        "total_input_tokens",
        "total_uncached_input_tokens",
        "total_cached_input_tokens",
        "total_output_tokens",
        "total_reasoning_tokens",
        "total_tokens",
    ),
    *fields.money(
        "total_llm_cost", "total_tool_cost", "total_compute_cost", "total_cost"
    ),
    *fields.text("currency", "main_cost_state"),
    fields.created_at(),
    *fields.count("total_cache_write_input_tokens"),
    *fields.text("cost_status", "usage_status"),
    *fields.text("status"),
    *fields.json("run_fields"),
)

trace_step: Final = Table(
    "trace_step",
    METADATA,
    *_step_key(),
    *fields.count("parent_step_id"),
    *fields.required_text("state_type"),
    *fields.text("agent_id", "skill_id", "model_name"),
    *fields.time("start_time", "end_time"),
    *fields.count(
        "latency_ms",
        "input_tokens_total",
        "input_tokens_uncached",
        "input_tokens_cached",
        "output_tokens",
        "reasoning_tokens",
        "total_tokens",
    ),
    *fields.money("llm_cost", "tool_cost", "compute_cost", "state_cost"),
    *fields.text("status", "error_type"),
    *fields.count("input_tokens_cache_write"),
    *fields.text("currency", "cost_status", "usage_status"),
    *fields.json("state_fields"),
    *fields.money("reported_cost"),
    *fields.text("reported_currency"),
    *fields.json("step_record"),
)

trace_context_breakdown: Final = Table(
    "trace_context_breakdown",
    METADATA,
    *_step_key(),
    *fields.count(
        "system_prompt_tokens",
        "skill_instruction_tokens",
        "user_instruction_tokens",
        "history_tokens",
        "memory_tokens",
        "tool_result_tokens",
        "retrieved_context_tokens",
        "artifact_context_tokens",
        "other_context_tokens",
    ),
    *fields.text("basis"),
)

trace_tool_event: Final = Table(
    "trace_tool_event",
    METADATA,
    *fields.required_text("trace_id"),
    Column("step_id", BigInteger, nullable=False),
    *fields.text("tool_type", "tool_name"),
    *fields.count(
        "request_tokens",
        "response_tokens_raw",
        "response_tokens_selected",
        "tokens_sent_to_next_llm",
        "tool_latency_ms",
    ),
    *fields.money("tool_cost"),
    *fields.text("status"),
    fields.created_at(),
    *fields.count("position"),
    *fields.text("currency", "call_id", "arguments_digest"),
    Index("ix_trace_tool_event_step", "trace_id", "step_id"),
)

trace_price_snapshot: Final = Table(
    "trace_price_snapshot",
    METADATA,
    *fields.required_text("trace_id", "model_name"),
    *fields.money(
        "price_input_per_million",
        "price_cached_input_per_million",
        "price_output_per_million",
        "price_reasoning_per_million",
    ),
    *fields.text("currency", "price_version"),
    fields.created_at(),
    *fields.money("price_cache_write_per_million"),
    Index("ix_trace_price_snapshot_trace", "trace_id"),
)

trace_part: Final = Table(
    "trace_part",
    METADATA,
    fields.text_key("trace_id"),
    fields.text_key("digest"),
    *fields.required_text("family"),
    Column("body", LargeBinary, nullable=False),
)
"""What a trace was put together from; see `traces.parts`."""
