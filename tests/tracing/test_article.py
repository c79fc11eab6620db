"""The article's own figures: its JSON examples as steps, its cost profile, and the ratios of Part VII."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.money import Money
from judgemesh.contracts.trace_fields import STATE_FIELDS
from judgemesh.contracts.tracing import StateType, Trace, UsageStatus
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.reporting.bill.data import bill_json
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.readers.ingest import read_traces
from judgemesh.mesh.tracing.steps.from_fields import step_of

STEPS = Path(__file__).parents[2] / "examples" / "cost_profile" / "steps.jsonl"

# Section 19, every example as it stands there.
EXAMPLES: list[dict[str, Any]] = [
    {
        "state_type": "OBSERVE",
        "observed_sources": [
            "user_input",
            "previous_tool_result",
            "memory",
            "file_state",
        ],
        "observed_tokens": 5200,
        "tokens_sent_to_next_think": 4800,
    },
    {
        "state_type": "THINK",
        "decision_type": "call_tool",
        "next_action": "RETRIEVE",
        "input_tokens_total": 6800,
        "input_tokens_uncached": 2200,
        "input_tokens_cached": 4600,
        "output_tokens": 420,
        "tool_call_instruction_tokens": 90,
    },
    {
        "state_type": "RETRIEVE",
        "retriever_name": "knowledge_base_search",
        "query_count": 3,
        "query_tokens": 180,
        "top_k": 20,
        "returned_chunks": 60,
        "raw_result_tokens": 52000,
        "deduplicated_tokens": 36000,
        "selected_tokens": 8000,
        "tokens_sent_to_next_llm": 5000,
        "tool_latency_ms": 2800,
        "tool_cost": 0.02,
    },
    {
        "state_type": "MCP_CALL",
        "mcp_server": "clinical_trial_mcp",
        "tool_name": "search_trial_registry",
        "request_tokens": 260,
        "response_tokens_raw": 12000,
        "response_tokens_selected": 3000,
        "tokens_sent_to_next_llm": 2400,
        "tool_latency_ms": 3500,
        "tool_cost": 0.05,
    },
    {
        "state_type": "API_CALL",
        "api_name": "drug_database_api",
        "endpoint": "/v1/drug/trials",
        "request_tokens": 180,
        "response_tokens_raw": 9000,
        "response_tokens_selected": 2500,
        "tokens_sent_to_next_llm": 1800,
        "api_latency_ms": 1600,
        "api_cost": 0.03,
        "http_status": 200,
    },
    {
        "state_type": "DB_QUERY",
        "database_name": "clinical_kb",
        "query_type": "sql",
        "query_tokens": 220,
        "rows_returned": 128,
        "raw_result_tokens": 16000,
        "selected_rows": 12,
        "selected_tokens": 2600,
        "tokens_sent_to_next_llm": 2000,
        "db_latency_ms": 900,
        "db_cost": 0.01,
    },
    {
        "state_type": "SCRIPT_EXEC",
        "runtime": "python",
        "script_input_tokens": 900,
        "code_tokens": 1200,
        "stdout_tokens": 1800,
        "stderr_tokens": 0,
        "generated_file_count": 2,
        "tokens_sent_to_next_llm": 1200,
        "execution_time_ms": 5200,
        "cpu_seconds": 4.8,
        "gpu_seconds": 0,
        "compute_cost": 0.04,
    },
    {
        "state_type": "FILE_READ",
        "file_path": "/input/protocol.pdf",
        "file_type": "pdf",
        "file_size_bytes": 1839200,
        "raw_extracted_tokens": 48000,
        "selected_tokens": 6000,
        "tokens_sent_to_next_llm": 5000,
        "parse_latency_ms": 2300,
        "parse_cost": 0.02,
    },
    {
        "state_type": "FILE_WRITE",
        "file_path": "/output/report.docx",
        "file_type": "docx",
        "write_mode": "create",
        "content_tokens_written": 8600,
        "formatting_tokens": 1200,
        "generated_file_size_bytes": 236000,
        "write_latency_ms": 1800,
        "write_cost": 0.01,
    },
    {
        "state_type": "MEMORY_READ",
        "memory_type": "long_term_memory",
        "query_tokens": 80,
        "raw_memory_tokens": 12000,
        "selected_memory_tokens": 1800,
        "tokens_sent_to_next_llm": 1500,
        "memory_latency_ms": 500,
    },
    {
        "state_type": "MEMORY_WRITE",
        "memory_type": "task_memory",
        "raw_content_tokens": 4200,
        "summary_tokens": 600,
        "tokens_written": 600,
        "write_latency_ms": 400,
    },
    {
        "state_type": "VALIDATE",
        "validator_name": "evidence_validator",
        "validation_input_tokens": 9000,
        "input_tokens_uncached": 3000,
        "input_tokens_cached": 6000,
        "validation_output_tokens": 1200,
        "issues_found": 3,
        "issues_fixed_later": 2,
        "validation_latency_ms": 3600,
        "validation_cost": 0.08,
    },
    {
        "state_type": "REFINE",
        "refine_reason": "fix_missing_citation",
        "input_tokens_total": 7600,
        "input_tokens_uncached": 2600,
        "input_tokens_cached": 5000,
        "output_tokens": 1800,
        "modified_content_tokens": 1200,
        "refine_latency_ms": 4200,
        "refine_cost": 0.10,
    },
    {
        "state_type": "FINALIZE",
        "final_output_type": "answer_with_citations",
        "input_tokens_total": 11000,
        "input_tokens_uncached": 4000,
        "input_tokens_cached": 7000,
        "output_tokens": 3600,
        "final_answer_tokens": 3200,
        "citation_tokens": 400,
        "finalize_latency_ms": 5000,
        "finalize_cost": 0.18,
    },
]
COSTS = {
    "RETRIEVE": "0.02",
    "MCP_CALL": "0.05",
    "API_CALL": "0.03",
    "DB_QUERY": "0.01",
    "SCRIPT_EXEC": "0.04",
    "FILE_READ": "0.02",
    "FILE_WRITE": "0.01",
    "VALIDATE": "0.08",
    "REFINE": "0.10",
    "FINALIZE": "0.18",
}
USAGES = {
    "THINK": Usage(2200, 4600, 0, 420),
    "VALIDATE": Usage(3000, 6000, 0, 1200),
    "REFINE": Usage(2600, 5000, 0, 1800),
    "FINALIZE": Usage(4000, 7000, 0, 3600),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["state_type"])
def test_the_examples_of_section_19_are_accepted_verbatim(
    example: dict[str, Any],
) -> None:
    step = priced(
        Trace(trace_id="t", steps=(step_of(example, trace_id="t", step_id=1),))
    ).steps[0]
    name = example["state_type"]

    assert step.state_type.value == name
    assert step.details == {
        key: value for key, value in example.items() if key != "state_type"
    }
    assert step.usage == USAGES.get(name)
    assert step.usage_status is (UsageStatus.OK if name in USAGES else UsageStatus.NONE)
    expected = COSTS.get(name)
    assert step.costs.state == (None if expected is None else Money(Decimal(expected)))
    latency = STATE_FIELDS[step.state_type].latency
    assert step.latency_ms == (example[latency] if latency else None)
    if "tokens_sent_to_next_llm" in example:
        assert (
            step.tools[0].tokens_sent_to_next_llm == example["tokens_sent_to_next_llm"]
        )


def test_every_state_has_an_example_and_every_field_is_in_the_table() -> None:
    assert {example["state_type"] for example in EXAMPLES} == {
        state.value for state in StateType
    }
    usage = {
        "state_type",
        "input_tokens_total",
        "input_tokens_uncached",
        "input_tokens_cached",
        "output_tokens",
    }
    for example in EXAMPLES:
        assert example.keys() - usage == set(
            STATE_FIELDS[StateType(example["state_type"])].fields
        )


def test_the_envelope_token_and_context_examples() -> None:
    step = step_of(
        {
            "trace_id": "task_20260428_001",
            "step_id": 3,
            "parent_step_id": 2,
            "state_type": "RETRIEVE",
            "agent_id": "search_agent",
            "skill_id": "clinical_evidence_search",
            "model_name": "model_x",
            "start_time": "2026-04-28T10:00:00Z",
            "end_time": "2026-04-28T10:00:04Z",
            "latency_ms": 4200,
            "status": "success",
            "input_tokens_total": 12800,
            "input_tokens_uncached": 4200,
            "input_tokens_cached": 8600,
            "output_tokens": 320,
            "reasoning_tokens": 0,
            "total_tokens": 13120,
            "input_token_breakdown": {
                "system_prompt_tokens": 1200,
                "skill_instruction_tokens": 2600,
                "user_instruction_tokens": 300,
                "history_tokens": 1800,
                "memory_tokens": 600,
                "tool_result_tokens": 4200,
                "retrieved_context_tokens": 1800,
                "artifact_context_tokens": 300,
                "other_context_tokens": 0,
            },
        }
    )
    assert (step.trace_id, step.step_id, step.parent_step_id, step.latency_ms) == (
        "task_20260428_001",
        3,
        2,
        4200,
    )
    assert step.usage == Usage(4200, 8600, 0, 320)
    assert step.usage_status is UsageStatus.OK
    assert step.context is not None
    assert step.context.total == 12800
    assert step.context.basis == "measured"


def profile() -> dict[str, Any]:
    return bill_json(bill_of(*(priced(trace) for trace in read_traces([STEPS]))))


def test_the_cost_profile_of_section_24() -> None:
    expected = {
        "trace_id": "task_20260428_001",
        "total_tokens": 186000,
        "total_input_tokens": 142000,
        "total_uncached_input_tokens": 58000,
        "total_cached_input_tokens": 84000,
        "total_output_tokens": 44000,
        "total_reasoning_tokens": 0,
        "total_cost": 3.82,
        "currency": "RMB",
        "total_latency_ms": 126000,
        "cost_by_state": {
            "THINK": 0.42,
            "RETRIEVE": 1.28,
            "DB_QUERY": 0.36,
            "VALIDATE": 0.74,
            "REFINE": 0.61,
            "FINALIZE": 0.41,
        },
        "token_by_state": {
            "THINK": 22000,
            "RETRIEVE": 64000,
            "DB_QUERY": 18000,
            "VALIDATE": 38000,
            "REFINE": 26000,
            "FINALIZE": 18000,
        },
        "main_cost_sources": ["RETRIEVE", "VALIDATE", "REFINE"],
        "conclusion": (
            "The run cost 3.82 RMB. The dominant cost sources were retrieved context entering the LLM context, "
            "validation, and refinement. Cached input tokens represented 59.1% of total input tokens, indicating that "
            "fixed Skill instructions and historical context benefited from caching."
        ),
    }
    found = profile()
    assert {key: found[key] for key in expected} == expected


def test_the_ratios_of_part_seven() -> None:
    found = profile()
    metrics = found["metrics"]

    assert metrics["cache_hit_ratio"] == pytest.approx(84_000 / 142_000)
    assert metrics["cache_saving"] == [
        {"amount": 0.63, "currency": "RMB"}
    ]  # 84,000 at 10 - 2.5 a million
    assert round(metrics["input_amplification_ratio"], 1) == 473.3
    assert metrics["validation_repair_rate"] == pytest.approx(2 / 3)
    assert metrics["refinement_efficiency"] == pytest.approx(11_500 / 18_400)
    assert metrics["retrieval_compression_ratio"] == pytest.approx(38_000 / 152_000)
    assert metrics["tool_context_ratio"] == pytest.approx(40_000 / 168_000)
    shares = {line["name"]: line["cost_share"] for line in found["by_state"]}
    assert shares["RETRIEVE"] == pytest.approx(1.28 / 3.82)
    assert sum(shares.values()) == pytest.approx(1)


def test_a_zero_denominator_has_no_value() -> None:
    metrics = bill_json(bill_of(Trace(trace_id="t")))["metrics"]
    ratios = {
        name: value
        for name, value in metrics.items()
        if name.endswith(("ratio", "rate", "efficiency"))
    }
    assert len(ratios) == 6
    assert set(ratios.values()) == {None}


def test_the_example_is_what_its_readme_says() -> None:
    readme = (STEPS.parent / "README.md").read_text(encoding="utf-8")
    assert "judgemesh trace bill examples/cost_profile/steps.jsonl" in readme
    assert profile()["conclusion"] in " ".join(readme.split())
    assert (
        len(
            [
                json.loads(line)
                for line in STEPS.read_text(encoding="utf-8").splitlines()
            ]
        )
        == 11
    )
