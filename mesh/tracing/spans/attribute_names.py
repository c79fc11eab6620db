"""Attribute names of OpenTelemetry's GenAI conventions, old and new, and OpenInference.

Names that mean the same stand together, the present one first. The names of token
counts are in `pricing/usage_shapes.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Final

from judgemesh.contracts.tracing import StateType
from judgemesh.mesh.pricing.usage_shapes import FIGURES, SPAN_ATTRIBUTES
from judgemesh.mesh.tracing.spans.span import SpanKind

OPERATION: Final = ("gen_ai.operation.name", "llm.request.type")
ADDRESS: Final = (
    "gen_ai.openai.api_base",
    "llm.openai.api_base",
    "server.address",
)
"""Where a call went: a server in the local network is nobody's API."""
SPAN_KIND: Final = ("openinference.span.kind", "traceloop.span.kind")
PROVIDER: Final = (
    "gen_ai.provider.name",
    "gen_ai.system",
    "llm.provider",
    "llm.system",
)
MODEL: Final = (
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.response.model_name",
    "llm.model_name",
    "llm.request.model_name",
    "llm.response.model",
    "llm.request.model",
    "embedding.model_name",
    "reranker.model_name",
)
AGENT: Final = (
    "gen_ai.agent.name",
    "agent.name",
    "graph.node.id",
    "gen_ai.agent.id",
)
SKILL: Final = ("gen_ai.skill.name", "skill.name", "gen_ai.workflow.name")
TASK: Final = ("task_id", "judgemesh.task_id", "task.id", "metadata.task_id")
RESPONSE_ID: Final = ("gen_ai.response.id", "llm.response.id", "gen_ai.response_id")
CONVERSATION: Final = (
    "session.id",
    "gen_ai.conversation.id",
    "thread.id",
    "thread_id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "metadata.session_id",
    "metadata.thread_id",
    "metadata.conversation_id",
)
TIER: Final = (
    "openai.response.service_tier",
    "gen_ai.openai.response.service_tier",
    "gen_ai.response.service_tier",
    "service_tier",
)
IN_ONE_NAME: Final[Mapping[str, tuple[str, ...]]] = {
    "service_tier": TIER,
    "request_id": (
        "gen_ai.openai.request_id",
        "gen_ai.request.id",
        "http.response.header.x-request-id",
        "http.response.header.request-id",
    ),
    "mcp_server": ("mcp.server.name", "mcp.server", "gen_ai.mcp.server.name"),
    "http_status": ("http.response.status_code", "http.status_code"),
}
"""Details that have one name in judgemesh, and the attributes that hold them."""
STATE: Final = "judgemesh.state_type"
ERROR: Final = ("error.type", "exception.type")

TOOL: Final = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
TOOL_TYPE: Final = ("gen_ai.tool.type",)
CALL_ID: Final = (
    "gen_ai.tool.call.id",
    "tool.call.id",
    "tool_call.id",
    "tool.id",
)
ARGUMENTS: Final = (
    "gen_ai.tool.call.arguments",
    "gen_ai.retrieval.query.text",
    "tool_arguments",
    "tool.parameters",
    "input.value",
    "traceloop.entity.input",
)
RESULT: Final = (
    "gen_ai.tool.call.result",
    "tool_response",
    "gen_ai.retrieval.documents",
    "output.value",
    "traceloop.entity.output",
)
RESULT_PREFIXES: Final = ("retrieval.documents.", "reranker.output_documents.")

INPUT_MESSAGES: Final = "gen_ai.input.messages"
INPUT: Final = (
    INPUT_MESSAGES,
    "gen_ai.prompt",
    "input.value",
    "traceloop.entity.input",
)
INPUT_PREFIXES: Final = ("llm.input_messages.", "gen_ai.prompt.")
OUTPUT: Final = (
    "gen_ai.output.messages",
    "gen_ai.completion",
    "output.value",
    "traceloop.entity.output",
)
OUTPUT_PREFIXES: Final = ("llm.output_messages.", "gen_ai.completion.")
SYSTEM: Final = "gen_ai.system_instructions"
TOOLS: Final = ("gen_ai.tool.definitions", "gen_ai.request.tools")
TOOLS_PREFIXES: Final = ("llm.tools.", "llm.request.functions.")

COST: Final = (
    "gen_ai.usage.cost",
    "gen_ai.usage.total_cost",
    "llm.cost.total",
)
"""Not `operation.cost`: that is an estimate from a price list of the instrumentation's own."""
COST_PARTS: Final = (
    ("gen_ai.usage.input_cost", "gen_ai.usage.output_cost"),
    ("llm.cost.prompt", "llm.cost.completion"),
)
CURRENCY: Final = ("gen_ai.usage.cost.currency", "llm.cost.currency")

KINDS_OF_OPERATIONS: Final[Mapping[str, SpanKind]] = {
    "chat": SpanKind.MODEL,
    "text_completion": SpanKind.MODEL,
    "completion": SpanKind.MODEL,
    "generate_content": SpanKind.MODEL,
    "embeddings": SpanKind.EMBEDDING,
    "embedding": SpanKind.EMBEDDING,
    "rerank": SpanKind.RETRIEVER,
    "retrieval": SpanKind.RETRIEVER,
    "execute_tool": SpanKind.TOOL,
    "invoke_agent": SpanKind.CONTAINER,
    "create_agent": SpanKind.CONTAINER,
    "invoke_workflow": SpanKind.CONTAINER,
}
KINDS_OF_SPAN_KINDS: Final[Mapping[str, SpanKind]] = {
    "llm": SpanKind.MODEL,
    "embedding": SpanKind.EMBEDDING,
    "retriever": SpanKind.RETRIEVER,
    "reranker": SpanKind.RETRIEVER,
    "tool": SpanKind.TOOL,
    "evaluator": SpanKind.VALIDATOR,
    "guardrail": SpanKind.VALIDATOR,
    "agent": SpanKind.CONTAINER,
    "chain": SpanKind.CONTAINER,
    "prompt": SpanKind.CONTAINER,
    "workflow": SpanKind.CONTAINER,
    "task": SpanKind.CONTAINER,
}
OTHER_CONVENTIONS: Final[Mapping[str, StateType]] = {
    "db.system": StateType.DB_QUERY,
    "db.system.name": StateType.DB_QUERY,
    "http.request.method": StateType.API_CALL,
    "http.method": StateType.API_CALL,
    "rpc.system": StateType.API_CALL,
}
"""Attributes of spans of other conventions, and the state that such a span is."""

_TOKEN_COUNTS: Final = tuple(
    chain.from_iterable(SPAN_ATTRIBUTES.paths(figure) for figure in FIGURES)
)
_KEPT_AS_THEY_CAME: Final = frozenset(
    {
        "gen_ai.operation.name",
        "openinference.span.kind",
        "gen_ai.request.model",
        "exception.type",
    }
)
UNDERSTOOD: Final = (
    frozenset(
        (
            *OPERATION,
            *SPAN_KIND,
            *PROVIDER,
            *MODEL,
            *AGENT,
            *SKILL,
            *TASK,
            STATE,
            *ERROR,
            *TOOL,
            *TOOL_TYPE,
            *CALL_ID,
            *ARGUMENTS,
            *RESULT,
            *INPUT,
            *OUTPUT,
            SYSTEM,
            *TOOLS,
            *COST,
            *chain.from_iterable(COST_PARTS),
            *CURRENCY,
            *_TOKEN_COUNTS,
        )
    )
    - _KEPT_AS_THEY_CAME
)
"""Attributes that are not repeated in the details of a step."""
UNDERSTOOD_PREFIXES: Final = (
    INPUT_PREFIXES + OUTPUT_PREFIXES + TOOLS_PREFIXES + RESULT_PREFIXES
)
