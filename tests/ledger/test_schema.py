"""The schema: what the article names is there, a ledger has the tables of the schema, older ledgers migrate."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import OperationalError

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.schema import tables, trace_tables
from judgemesh.mesh.ledger.schema.migrations import (
    MIGRATIONS,
    Migration,
    check_version,
    migrate,
    version_of,
)

_ARTICLE = {
    "eval_task_result": """eval_id task_id trace_id agent_id skill_id hard_success outcome_score completeness_score
        evidence_validity_score evidence_consistency_score methodology_score readability_score execution_success_score
        primary_failure_reason_code failure_reason_codes evaluator_version eval_contract_version created_at""",
    "eval_validator_result": """eval_id validator_name validator_type passed score confidence failure_reason_codes
        evidence_refs diagnostic_message latency_ms evaluator_model created_at""",
    "eval_state_result": """eval_id trace_id state_object_id state_object_type state_object_path state_action
        exists_after_run readable_after_run non_empty_after_run expected_state_match side_effect_detected
        target_state_match_score content_usability_score format_quality_score boundary_control_score
        state_change_score failure_reason_codes diff_summary created_at""",
    "trace_run": """trace_id task_id agent_id skill_id start_time end_time total_latency_ms total_input_tokens
        total_uncached_input_tokens total_cached_input_tokens total_output_tokens total_reasoning_tokens total_tokens
        total_llm_cost total_tool_cost total_compute_cost total_cost currency main_cost_state created_at""",
    "trace_step": """trace_id step_id parent_step_id state_type agent_id skill_id model_name start_time end_time
        latency_ms input_tokens_total input_tokens_uncached input_tokens_cached output_tokens reasoning_tokens
        total_tokens llm_cost tool_cost compute_cost state_cost status error_type""",
    "trace_context_breakdown": """trace_id step_id system_prompt_tokens skill_instruction_tokens
        user_instruction_tokens history_tokens memory_tokens tool_result_tokens retrieved_context_tokens
        artifact_context_tokens other_context_tokens""",
    "trace_tool_event": """trace_id step_id tool_type tool_name request_tokens response_tokens_raw
        response_tokens_selected tokens_sent_to_next_llm tool_latency_ms tool_cost status created_at""",
    "trace_price_snapshot": """trace_id model_name price_input_per_million price_cached_input_per_million
        price_output_per_million price_reasoning_per_million currency price_version created_at""",
    "judge_call": """run_id eval_id validator_name question_id sample_index attempt model_requested model_served
        prompt_name prompt_digest input_tokens_uncached input_tokens_cached input_tokens_cache_write output_tokens
        reasoning_tokens cost cost_avoided currency price_snapshot_id cache_hit latency_ms status error_type
        created_at""",
}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return writing_engine(parse_address(str(tmp_path / "ledger.db")), 5)


@pytest.fixture
def migrated(engine: Engine) -> Engine:
    with engine.begin() as connection:
        migrate(connection)
    return engine


@pytest.mark.parametrize("table", sorted(_ARTICLE))
def test_every_table_and_column_of_the_article_is_there(
    migrated: Engine, table: str
) -> None:
    columns = {column["name"] for column in inspect(migrated).get_columns(table)}

    assert set(_ARTICLE[table].split()) <= columns


def test_further_tables_are_there(migrated: Engine) -> None:
    further = {
        "eval_run",
        "source_lookup",
        "human_label",
        "judge_calibration",
        "price_snapshot",
        "judge_cache",
    }

    assert further <= set(inspect(migrated).get_table_names())


def test_the_migrations_make_exactly_the_tables_that_python_knows(
    migrated: Engine,
) -> None:
    found = inspect(migrated)
    metadata = tables.METADATA

    assert trace_tables.trace_run.metadata is metadata
    assert set(found.get_table_names()) == set(metadata.tables)
    for name, table in metadata.tables.items():
        assert [
            (column["name"], column["nullable"]) for column in found.get_columns(name)
        ] == [(column.name, bool(column.nullable)) for column in table.columns], name
        assert found.get_pk_constraint(name)["constrained_columns"] == [
            column.name for column in table.primary_key
        ]
        assert {index["name"] for index in found.get_indexes(name)} == {
            index.name for index in table.indexes
        }, name
        assert {
            key["constrained_columns"][0] for key in found.get_foreign_keys(name)
        } == {key.parent.name for key in table.foreign_keys}, name


def test_a_moment_that_is_not_named_is_now_in_utc(migrated: Engine) -> None:
    with migrated.begin() as connection:
        connection.execute(
            text("INSERT INTO eval_run (run_id, run_key) VALUES ('a', 'b')")
        )
        stored = connection.execute(tables.eval_run.select()).mappings().one()

    assert abs(datetime.now(UTC) - stored["created_at"]) < timedelta(minutes=1)


def test_money_sums_as_a_number_and_json_stays_text(migrated: Engine) -> None:
    types = {
        column["name"]: str(column["type"])
        for column in inspect(migrated).get_columns("judge_call")
    }

    assert (types["cost"], types["parameters"], types["created_at"]) == (
        "REAL",
        "TEXT",
        "TIMESTAMP",
    )


def test_versions_count_up_without_a_gap() -> None:
    first = MIGRATIONS[0].version

    assert [migration.version for migration in MIGRATIONS] == list(
        range(first, first + len(MIGRATIONS))
    )


def test_every_version_but_the_first_has_a_step_that_leads_to_it() -> None:
    assert MIGRATIONS[0].apply is None
    assert all(migration.apply is not None for migration in MIGRATIONS[1:])


def _add_notes(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE eval_run ADD COLUMN note TEXT"))
    connection.execute(text("CREATE TABLE extra (id INTEGER PRIMARY KEY, data TEXT)"))


def _break(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE half (id INTEGER PRIMARY KEY)"))
    connection.execute(text("ALTER TABLE absent ADD COLUMN x"))


_NEXT = Migration(MIGRATIONS[-1].version + 1, "notes", _add_notes)


def test_an_older_ledger_is_brought_up_to_date_and_keeps_its_rows(
    migrated: Engine,
) -> None:
    with migrated.begin() as connection:
        connection.execute(
            text("INSERT INTO eval_run (run_id, run_key) VALUES ('a', 'b')")
        )
    with migrated.begin() as connection:
        assert migrate(connection, (*MIGRATIONS, _NEXT)) == _NEXT.version
    with migrated.begin() as connection:
        assert connection.execute(text("SELECT run_id, note FROM eval_run")).all() == [
            ("a", None)
        ]
        assert connection.execute(
            text("SELECT version FROM schema_migration ORDER BY version")
        ).scalars().all() == [MIGRATIONS[-1].version, _NEXT.version]
        assert migrate(connection, (*MIGRATIONS, _NEXT)) == _NEXT.version


def test_a_migration_that_fails_leaves_the_old_version_whole(migrated: Engine) -> None:
    broken = Migration(_NEXT.version, "broken", _break)
    with pytest.raises(OperationalError), migrated.begin() as connection:
        migrate(connection, (*MIGRATIONS, broken))

    assert "half" not in inspect(migrated).get_table_names()
    with migrated.begin() as connection:
        assert version_of(connection) == MIGRATIONS[-1].version


def test_a_newer_ledger_is_refused(migrated: Engine) -> None:
    with migrated.begin() as connection:
        migrate(connection, (*MIGRATIONS, _NEXT))
    says = rf"version {_NEXT.version}, .* up to {MIGRATIONS[-1].version}; upgrade"
    with pytest.raises(LedgerError, match=says), migrated.begin() as connection:
        migrate(connection)


def test_reading_wants_exactly_this_version() -> None:
    older = MIGRATIONS[-1].version
    with pytest.raises(LedgerError, match=f"older schema version {older}"):
        check_version(older, (*MIGRATIONS, _NEXT), exactly=True)
    with pytest.raises(LedgerError, match="is empty"):
        check_version(None, exactly=True)
