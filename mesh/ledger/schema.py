"""The tables of the ledger, as SQLAlchemy sees them. The DDL itself is in the migrations; a test compares the two.

Tables and columns of the evaluation article keep its names; what judgemesh adds stands below them in each table.
Scores are 0..10 in `eval_task_result` and 0..1 in `eval_validator_result`.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    UniqueConstraint,
)

from judgemesh.mesh.ledger import fields
from judgemesh.mesh.ledger.columns import OrderedJsonColumn, TextColumn

METADATA: Final = MetaData()

_AutoId = BigInteger().with_variant(Integer, "sqlite")


def _of_run() -> Column[str]:
    return Column("run_id", TextColumn, ForeignKey("eval_run.run_id"), nullable=False)


def _of_task() -> Column[str]:
    return Column(
        "eval_id",
        TextColumn,
        ForeignKey("eval_task_result.eval_id", ondelete="CASCADE"),
        primary_key=True,
    )


eval_run: Final = Table(
    "eval_run",
    METADATA,
    Column("run_id", TextColumn, primary_key=True),
    Column("run_key", TextColumn, nullable=False, unique=True),
    *fields.text("name", "evaluator_version", "status"),
    *fields.json("config", "summary"),
    *fields.time("created_at", "last_started_at", "finished_at"),
)

eval_task_result: Final = Table(
    "eval_task_result",
    METADATA,
    Column("eval_id", TextColumn, primary_key=True),
    *fields.required_text("task_id"),
    *fields.text("trace_id", "agent_id", "skill_id"),
    Column("hard_success", Boolean, nullable=False),
    *fields.number(
        "outcome_score",
        "completeness_score",
        "evidence_validity_score",
        "evidence_consistency_score",
        "methodology_score",
        "readability_score",
        "execution_success_score",
    ),
    *fields.text("primary_failure_reason_code"),
    *fields.json("failure_reason_codes"),
    *fields.text("evaluator_version", "eval_contract_version"),
    *fields.time("created_at"),
    _of_run(),
    *fields.required_text("result_id", "result_digest", "gate"),
    Column("input_index", BigInteger, nullable=False),
    *fields.text("outcome_class"),
    Column("other_scores", OrderedJsonColumn),
    *fields.number("confidence_stability", "confidence_correctness"),
    *fields.money("evaluator_cost"),
    *fields.text("evaluator_currency"),
    *fields.money("evaluator_cost_avoided"),
    *fields.text("evaluator_cost_avoided_currency"),
    *fields.count("judge_calls"),
    *fields.money("agent_cost"),
    *fields.text("agent_currency"),
    *fields.number("agent_latency_ms", "latency_ms"),
    *fields.text("explanation"),
    Column("has_error", Boolean, nullable=False),
    Column("is_vacuous", Boolean, nullable=False),
    Column("weighted_scores", OrderedJsonColumn),
    UniqueConstraint("run_id", "result_id"),
    Index("ix_eval_task_result_run_input", "run_id", "input_index"),
)
"""`has_error`: some verdict is an error. `is_vacuous`: some verdict rests on an expectation that nothing could miss."""

eval_validator_result: Final = Table(
    "eval_validator_result",
    METADATA,
    _of_task(),
    *fields.required_text("validator_name", "validator_type"),
    Column("passed", Boolean, nullable=False),
    *fields.number("score", "confidence"),
    *fields.json("failure_reason_codes", "evidence_refs"),
    *fields.text("diagnostic_message"),
    *fields.number("latency_ms"),
    *fields.text("evaluator_model"),
    *fields.time("created_at"),
    Column("position", Integer, primary_key=True, autoincrement=False),
    *fields.required_text("kind", "check_name", "validator_version"),
    *fields.text("reason", "metric"),
    Column("gating", Boolean, nullable=False),
    Column("weight", Double, nullable=False),
    *fields.json("details"),
    *fields.number("confidence_stability", "confidence_correctness"),
    *fields.money("cost"),
    *fields.text("currency"),
    *fields.flag("score_stated", "confidence_stated", "gating_stated"),
)
"""`passed` is true for a pass only: read `kind` before counting failures. `confidence` repeats the stability.

The three `_stated` columns keep what the verdict itself said, apart from the defaults that `score`, `confidence` and
`gating` show: without them a stored report could not come back equal.
"""

eval_state_result: Final = Table(
    "eval_state_result",
    METADATA,
    _of_task(),
    *fields.required_text("trace_id", "state_object_id"),
    *fields.text("state_object_type", "state_object_path", "state_action"),
    *fields.flag(
        "exists_after_run",
        "readable_after_run",
        "non_empty_after_run",
        "expected_state_match",
        "side_effect_detected",
    ),
    *fields.number(
        "target_state_match_score",
        "content_usability_score",
        "format_quality_score",
        "boundary_control_score",
        "state_change_score",
    ),
    *fields.json("failure_reason_codes", "diff_summary"),
    *fields.time("created_at"),
    Column("position", Integer, primary_key=True, autoincrement=False),
)

eval_failure_code: Final = Table(
    "eval_failure_code",
    METADATA,
    _of_task(),
    Column("code", TextColumn, primary_key=True),
)
"""The failure codes of a result, one row each: countable without JSON functions."""

price_snapshot: Final = Table(
    "price_snapshot",
    METADATA,
    Column("price_snapshot_id", TextColumn, primary_key=True),
    *fields.required_text("model_name"),
    *fields.money(
        "price_input_per_million",
        "price_cached_input_per_million",
        "price_cache_write_per_million",
        "price_output_per_million",
        "price_reasoning_per_million",
    ),
    *fields.text("currency", "price_version"),
    *fields.time("created_at"),
)

judge_call: Final = Table(
    "judge_call",
    METADATA,
    Column("judge_call_id", _AutoId, primary_key=True),
    _of_run(),
    *fields.required_text("eval_id", "validator_name", "question_id"),
    Column("sample_index", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    *fields.required_text("model_requested"),
    *fields.text("model_served"),
    *fields.required_text("prompt_name", "prompt_digest", "message_digest"),
    *fields.json("parameters"),
    *fields.count(
        "input_tokens_uncached",
        "input_tokens_cached",
        "input_tokens_cache_write",
        "output_tokens",
        "reasoning_tokens",
    ),
    *fields.json("usage_raw"),
    *fields.money("cost"),
    *fields.required_text("cost_status"),
    *fields.text("currency"),
    *fields.money("cost_avoided"),
    *fields.text("cost_avoided_currency"),
    *fields.number("provider_cost"),
    Column(
        "price_snapshot_id", TextColumn, ForeignKey("price_snapshot.price_snapshot_id")
    ),
    Column("cache_hit", Boolean, nullable=False),
    *fields.number("latency_ms"),
    *fields.required_text("status"),
    *fields.text("error_type", "error_message", "vote", "reason"),
    *fields.time("created_at"),
    Index("ix_judge_call_run_eval", "run_id", "eval_id"),
)
"""One row an attempt. `eval_id` is no foreign key: money was spent even if the result was never committed."""

judge_cache: Final = Table(
    "judge_cache",
    METADATA,
    Column("cache_key", TextColumn, primary_key=True),
    *fields.required_text("response"),
    *fields.time("created_at"),
)

source_lookup: Final = Table(
    "source_lookup",
    METADATA,
    Column("source_lookup_id", _AutoId, primary_key=True),
    _of_run(),
    *fields.required_text("eval_id", "validator_name", "source"),
    *fields.json("query"),
    *fields.required_text("status"),
    *fields.text("ref"),
    *fields.json("fields"),
    Column("cache_hit", Boolean, nullable=False),
    *fields.number("latency_ms"),
    *fields.text("error_type", "error_message"),
    *fields.time("created_at"),
    Index("ix_source_lookup_run_eval", "run_id", "eval_id"),
)

human_label: Final = Table(
    "human_label",
    METADATA,
    Column("human_label_id", _AutoId, primary_key=True),
    *fields.required_text("result_id"),
    *fields.text(
        "run_id", "task_id", "validator_name", "question_id", "labeler", "label"
    ),
    *fields.number("score"),
    *fields.text("outcome_class", "note"),
    *fields.time("created_at"),
    *fields.text("drawn"),
    Index("ix_human_label_result", "result_id"),
)

judge_calibration: Final = Table(
    "judge_calibration",
    METADATA,
    Column("judge_calibration_id", _AutoId, primary_key=True),
    *fields.required_text("model"),
    *fields.text("prompt_name", "prompt_digest", "question_id", "method"),
    *fields.count("label_count"),
    *fields.number("true_positive_rate", "true_negative_rate"),
    *fields.json("parameters"),
    *fields.time("created_at"),
)
