"""The tables of the ledger, but for those of the agent's own trace (`trace_tables`).

This is the schema: a new ledger is made from it (see `migrations`). Tables and columns of the evaluation article keep
its names; what judgemesh adds follows them in each table. Scores are 0..10 in `eval_task_result` and 0..1 in
`eval_validator_result`.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    DOUBLE_PRECISION,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
)

from judgemesh.mesh.ledger.schema import fields
from judgemesh.mesh.ledger.schema.columns import (
    PRICES,
    TOKENS,
    TextColumn,
    UtcColumn,
    UtcNow,
)

METADATA: Final = MetaData()


def _of_run() -> Column[str]:
    return Column("run_id", TextColumn, ForeignKey("eval_run.run_id"), nullable=False)


def _of_task() -> Column[str]:
    return Column(
        "eval_id",
        TextColumn,
        ForeignKey("eval_task_result.eval_id", ondelete="CASCADE"),
        primary_key=True,
    )


schema_migration: Final = Table(
    "schema_migration",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
    *fields.required_text("name"),
    Column("applied_at", UtcColumn, nullable=False, server_default=UtcNow()),
)
"""The versions this ledger went through, the newest of which is its own."""

eval_run: Final = Table(
    "eval_run",
    METADATA,
    fields.text_key("run_id"),
    Column("run_key", TextColumn, nullable=False, unique=True),
    *fields.text("name", "evaluator_version", "status"),
    *fields.json("config", "summary"),
    fields.created_at(),
    *fields.time("last_started_at", "finished_at"),
)

run_lease: Final = Table(
    "run_lease",
    METADATA,
    Column("run_id", TextColumn, ForeignKey("eval_run.run_id"), primary_key=True),
    *fields.required_text("token", "machine"),
    Column("pid", BigInteger, nullable=False),
    fields.created_at(),
    Column("renewed_at", UtcColumn, nullable=False),
)
"""The process that grades a run now; see `leases`."""

eval_task_result: Final = Table(
    "eval_task_result",
    METADATA,
    fields.text_key("eval_id"),
    *fields.required_text("task_id"),
    *fields.text("trace_id", "agent_id", "skill_id"),
    *fields.required_flag("hard_success"),
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
    fields.created_at(),
    _of_run(),
    *fields.required_text("result_id", "result_digest", "gate"),
    Column("input_index", BigInteger, nullable=False),
    *fields.text("outcome_class"),
    *fields.ordered_json("other_scores"),
    *fields.number("confidence_stability", "confidence_correctness"),
    *fields.money("evaluator_cost"),
    *fields.text("evaluator_currency"),
    *fields.money("evaluator_cost_avoided"),
    *fields.text("evaluator_cost_avoided_currency"),
    *fields.count("judge_calls"),
    *fields.money("agent_cost"),
    *fields.text("agent_currency"),
    *fields.number("agent_latency_ms", "latency_ms"),
    *fields.text("explanation", "started_at", "ended_at"),
    *fields.required_flag("has_error", "is_vacuous"),
    *fields.ordered_json("weighted_scores"),
    UniqueConstraint("run_id", "result_id"),
    Index("ix_eval_task_result_run_input", "run_id", "input_index"),
)
"""`has_error`: some verdict is an error. `is_vacuous`: some verdict rests on an expectation that nothing could miss."""

eval_validator_result: Final = Table(
    "eval_validator_result",
    METADATA,
    _of_task(),
    *fields.required_text("validator_name", "validator_type"),
    *fields.required_flag("passed"),
    *fields.number("score", "confidence"),
    *fields.json("failure_reason_codes", "evidence_refs"),
    *fields.text("diagnostic_message"),
    *fields.number("latency_ms"),
    *fields.text("evaluator_model"),
    fields.created_at(),
    fields.position_key("position"),
    *fields.required_text("kind", "check_name", "validator_version"),
    *fields.text("reason", "metric"),
    *fields.required_flag("gating"),
    Column("weight", DOUBLE_PRECISION, nullable=False),
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
    fields.created_at(),
    fields.position_key("position"),
)

eval_failure_code: Final = Table(
    "eval_failure_code",
    METADATA,
    _of_task(),
    fields.text_key("code"),
)
"""The failure codes of a result, one row each: countable without JSON functions."""

eval_result_content: Final = Table(
    "eval_result_content",
    METADATA,
    _of_task(),
    Column("body", LargeBinary, nullable=False),
    Column("full_bytes", BigInteger, nullable=False),
    *fields.count("cut_at_bytes"),
)
"""What was graded: the zlib-compressed JSON of the result as it was judged; see `contents`.

No row where content is not kept (`--no-content`), and none for results of older schemas.
"""

report_log: Final = Table(
    "report_log",
    METADATA,
    Column("run_id", TextColumn, ForeignKey("eval_run.run_id"), primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    *fields.required_text(
        "eval_id", "report_digest", "previous_digest", "entry_digest"
    ),
    fields.created_at(),
    Index("ix_report_log_eval", "eval_id"),
)
"""One row for every report that was written, in a chain for each run; rows are only appended. See `report_log`."""

price_snapshot: Final = Table(
    "price_snapshot",
    METADATA,
    fields.text_key("price_snapshot_id"),
    *fields.required_text("model_name"),
    *fields.money(*PRICES),
    *fields.text("currency", "price_version"),
    fields.created_at(),
)

judge_call: Final = Table(
    "judge_call",
    METADATA,
    fields.auto_id("judge_call_id"),
    _of_run(),
    *fields.required_text("eval_id", "validator_name", "question_id"),
    *fields.required_integer("sample_index", "attempt"),
    *fields.required_text("model_requested"),
    *fields.text("model_served"),
    *fields.required_text("prompt_name", "prompt_digest", "message_digest"),
    *fields.json("parameters"),
    *fields.count(*TOKENS),
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
    *fields.required_flag("cache_hit"),
    *fields.number("latency_ms"),
    *fields.required_text("status"),
    *fields.text("error_type", "error_message", "vote", "reason"),
    fields.created_at(),
    Index("ix_judge_call_run_eval", "run_id", "eval_id"),
)
"""One row an attempt. `eval_id` is no foreign key: money was spent even if the result was never committed."""

judge_opinion: Final = Table(
    "judge_opinion",
    METADATA,
    _of_task(),
    fields.position_key("verdict_position"),
    fields.position_key("position"),
    Column("parent", Integer),
    _of_run(),
    *fields.required_text("result_id", "validator_name", "role"),
    *fields.required_text("question_id", "question", "criterion"),
    *fields.required_flag("gating"),
    *fields.required_text("model", "prompts", "backend"),
    *fields.names("served"),
    *fields.text("leader", "verdict", "error_type"),
    *fields.required_integer("votes_yes", "votes_no", "votes_unsure", "votes_broken"),
    *fields.number("p_yes"),
    *fields.required_flag("contradicted"),
    *fields.flag("quote_found"),
    *fields.number("stability", "correctness"),
    *fields.text("reason"),
    *fields.required_flag("injection_suspected", "same_family"),
    *fields.number("chance", "audit_share"),
    *fields.text("panel_method"),
    *fields.number("panel_n_eff"),
    *fields.text("panel_n_eff_source"),
    *fields.count("panel_labels"),
    *fields.text("part_model", "part_prompts", "part_backend"),
    *fields.text("batch_call"),
    *fields.count("batch_position", "batch_size"),
    *fields.text("batch_together", "batch_alone"),
    Index("ix_judge_opinion_run", "run_id", "eval_id"),
    Index("ix_judge_opinion_question", "result_id", "question_id"),
)
"""One row for each judge that was heard about a question; the columns are the fields of `contracts.opinions.Opinion`.

`verdict_position` is the `position` of the verdict in `eval_validator_result`. The opinion with the role `final` is the
one that the verdict states; `parent` is the `position` of the opinion that another one belongs to.
"""

judge_cache: Final = Table(
    "judge_cache",
    METADATA,
    fields.text_key("cache_key"),
    *fields.required_text("response"),
    fields.created_at(),
)

source_lookup: Final = Table(
    "source_lookup",
    METADATA,
    fields.auto_id("source_lookup_id"),
    _of_run(),
    *fields.required_text("eval_id", "validator_name", "source"),
    *fields.json("query"),
    *fields.required_text("status"),
    *fields.text("ref"),
    *fields.json("fields"),
    *fields.required_flag("cache_hit"),
    *fields.number("latency_ms"),
    *fields.text("error_type", "error_message"),
    fields.created_at(),
    Index("ix_source_lookup_run_eval", "run_id", "eval_id"),
)

human_label: Final = Table(
    "human_label",
    METADATA,
    fields.auto_id("human_label_id"),
    *fields.required_text("result_id"),
    *fields.text(
        "run_id", "task_id", "validator_name", "question_id", "labeler", "label"
    ),
    *fields.number("score"),
    *fields.text("outcome_class", "note"),
    fields.created_at(),
    *fields.text("drawn"),
    Index("ix_human_label_result", "result_id"),
)

judge_calibration: Final = Table(
    "judge_calibration",
    METADATA,
    fields.auto_id("judge_calibration_id"),
    *fields.required_text("model"),
    *fields.text("prompt_name", "prompt_digest", "question_id", "method"),
    *fields.count("label_count"),
    *fields.number("true_positive_rate", "true_negative_rate"),
    *fields.json("parameters"),
    fields.created_at(),
)
