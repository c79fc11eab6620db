"""Which fields each state has (article 002, section 19), and what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.tracing import StateType

_S = StateType


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFields:
    """The fields of one state by their meaning; "" where the state has none of it.

    fields: every field of the section, in its order.
    tool_type: the kind of tool that the state calls; "" for a state that calls none.
    cost_part: the part of the state's cost (section 21) that `cost` is; "" when it is
        the whole.
    """

    fields: tuple[str, ...]
    tool_type: str = ""
    tool_name: str = ""
    request: str = ""
    raw: tuple[str, ...] = ()
    selected: str = ""
    sent: str = ""
    latency: str = ""
    cost: str = ""
    cost_part: str = ""
    input_total: str = "input_tokens_total"
    output: str = "output_tokens"


_SENT: Final = "tokens_sent_to_next_llm"

STATE_FIELDS: Final[Mapping[StateType, StateFields]] = MappingProxyType(
    {
        _S.OBSERVE: StateFields(
            fields=("observed_sources", "observed_tokens", "tokens_sent_to_next_think")
        ),
        _S.THINK: StateFields(
            fields=("decision_type", "next_action", "tool_call_instruction_tokens")
        ),
        _S.RETRIEVE: StateFields(
            fields=(
                "retriever_name",
                "query_count",
                "query_tokens",
                "top_k",
                "returned_chunks",
                "raw_result_tokens",
                "deduplicated_tokens",
                "selected_tokens",
                _SENT,
                "tool_latency_ms",
                "tool_cost",
            ),
            tool_type="retriever",
            tool_name="retriever_name",
            request="query_tokens",
            raw=("raw_result_tokens",),
            selected="selected_tokens",
            sent=_SENT,
            latency="tool_latency_ms",
            cost="tool_cost",
            cost_part="tool",
        ),
        _S.MCP_CALL: StateFields(
            fields=(
                "mcp_server",
                "tool_name",
                "request_tokens",
                "response_tokens_raw",
                "response_tokens_selected",
                _SENT,
                "tool_latency_ms",
                "tool_cost",
            ),
            tool_type="mcp",
            tool_name="tool_name",
            request="request_tokens",
            raw=("response_tokens_raw",),
            selected="response_tokens_selected",
            sent=_SENT,
            latency="tool_latency_ms",
            cost="tool_cost",
            cost_part="tool",
        ),
        _S.API_CALL: StateFields(
            fields=(
                "api_name",
                "endpoint",
                "request_tokens",
                "response_tokens_raw",
                "response_tokens_selected",
                _SENT,
                "api_latency_ms",
                "api_cost",
                "http_status",
            ),
            tool_type="api",
            tool_name="api_name",
            request="request_tokens",
            raw=("response_tokens_raw",),
            selected="response_tokens_selected",
            sent=_SENT,
            latency="api_latency_ms",
            cost="api_cost",
            cost_part="api",
        ),
        _S.DB_QUERY: StateFields(
            fields=(
                "database_name",
                "query_type",
                "query_tokens",
                "rows_returned",
                "raw_result_tokens",
                "selected_rows",
                "selected_tokens",
                _SENT,
                "db_latency_ms",
                "db_cost",
            ),
            tool_type="db",
            tool_name="database_name",
            request="query_tokens",
            raw=("raw_result_tokens",),
            selected="selected_tokens",
            sent=_SENT,
            latency="db_latency_ms",
            cost="db_cost",
            cost_part="db",
        ),
        _S.SCRIPT_EXEC: StateFields(
            fields=(
                "runtime",
                "script_input_tokens",
                "code_tokens",
                "stdout_tokens",
                "stderr_tokens",
                "generated_file_count",
                _SENT,
                "execution_time_ms",
                "cpu_seconds",
                "gpu_seconds",
                "compute_cost",
            ),
            tool_type="script",
            tool_name="runtime",
            request="script_input_tokens",
            raw=("stdout_tokens", "stderr_tokens"),
            sent=_SENT,
            latency="execution_time_ms",
            cost="compute_cost",
            cost_part="compute",
        ),
        _S.FILE_READ: StateFields(
            fields=(
                "file_path",
                "file_type",
                "file_size_bytes",
                "raw_extracted_tokens",
                "selected_tokens",
                _SENT,
                "parse_latency_ms",
                "parse_cost",
            ),
            tool_type="file",
            tool_name="file_type",
            raw=("raw_extracted_tokens",),
            selected="selected_tokens",
            sent=_SENT,
            latency="parse_latency_ms",
            cost="parse_cost",
            cost_part="parse",
        ),
        _S.FILE_WRITE: StateFields(
            fields=(
                "file_path",
                "file_type",
                "write_mode",
                "content_tokens_written",
                "formatting_tokens",
                "generated_file_size_bytes",
                "write_latency_ms",
                "write_cost",
            ),
            tool_type="file",
            tool_name="file_type",
            request="content_tokens_written",
            latency="write_latency_ms",
            cost="write_cost",
            cost_part="write",
        ),
        _S.MEMORY_READ: StateFields(
            fields=(
                "memory_type",
                "query_tokens",
                "raw_memory_tokens",
                "selected_memory_tokens",
                _SENT,
                "memory_latency_ms",
            ),
            tool_type="memory",
            tool_name="memory_type",
            request="query_tokens",
            raw=("raw_memory_tokens",),
            selected="selected_memory_tokens",
            sent=_SENT,
            latency="memory_latency_ms",
        ),
        _S.MEMORY_WRITE: StateFields(
            fields=(
                "memory_type",
                "raw_content_tokens",
                "summary_tokens",
                "tokens_written",
                "write_latency_ms",
            ),
            tool_type="memory",
            tool_name="memory_type",
            request="tokens_written",
            latency="write_latency_ms",
        ),
        _S.VALIDATE: StateFields(
            fields=(
                "validator_name",
                "validation_input_tokens",
                "validation_output_tokens",
                "issues_found",
                "issues_fixed_later",
                "validation_latency_ms",
                "validation_cost",
            ),
            latency="validation_latency_ms",
            cost="validation_cost",
            input_total="validation_input_tokens",
            output="validation_output_tokens",
        ),
        _S.REFINE: StateFields(
            fields=(
                "refine_reason",
                "modified_content_tokens",
                "refine_latency_ms",
                "refine_cost",
            ),
            latency="refine_latency_ms",
            cost="refine_cost",
        ),
        _S.FINALIZE: StateFields(
            fields=(
                "final_output_type",
                "final_answer_tokens",
                "citation_tokens",
                "finalize_latency_ms",
                "finalize_cost",
            ),
            latency="finalize_latency_ms",
            cost="finalize_cost",
        ),
    }
)
