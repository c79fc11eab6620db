"""Attributes of Langfuse and MLflow in the names of OpenTelemetry and OpenInference. Pure.

Both hold inputs, outputs and usage as JSON text under names of their own. Attributes that
are not translated are kept as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_object, object_of
from judgemesh.mesh.tracing.spans.messages import decoded

USAGE_OBJECT: Final = "usage_object"
"""The attribute under which a usage object of any provider stands after translation."""

_KINDS: Final[Mapping[str, str]] = {
    "generation": "LLM",
    "llm": "LLM",
    "chat_model": "LLM",
    "embedding": "EMBEDDING",
    "tool": "TOOL",
    "retriever": "RETRIEVER",
    "reranker": "RERANKER",
    "evaluator": "EVALUATOR",
    "guardrail": "GUARDRAIL",
    "agent": "AGENT",
    "chain": "CHAIN",
    "workflow": "CHAIN",
    "parser": "CHAIN",
    "span": "CHAIN",
    "event": "CHAIN",
}
_Translate: TypeAlias = Callable[[JsonObject, str], None]
_LANGFUSE: Final = "langfuse.observation."
_MLFLOW: Final = "mlflow."


def translated(attributes: JsonObject, name: str) -> JsonObject:
    """The attributes under names that are understood. `name`: of the span."""
    for prefix, translate in _DIALECTS:
        if any(key.startswith(prefix) for key in attributes):
            plain = dict(attributes)
            translate(plain, name)
            return plain
    return attributes


def _move(plain: JsonObject, source: str, target: str) -> None:
    """Give a value its other name, unless that is taken."""
    value = plain.pop(source, None)
    if value not in (None, ""):
        plain.setdefault(target, value)


def _move_json(plain: JsonObject, source: str, target: str) -> None:
    if isinstance(plain.get(source), str):
        plain[source] = decoded_scalar(plain[source])
    _move(plain, source, target)


def decoded_scalar(text: str) -> Any:
    """JSON text of any value as data; other text as it is."""
    data = decoded(text)
    if isinstance(data, str) and len(data) > 1 and data[0] == data[-1] == '"':
        unquoted = object_of(decoded(f'{{"value": {data}}}'))
        return unquoted.get("value", text)
    return data


def _set_kind(plain: JsonObject, kind: object, name: str) -> str:
    kind_name = _KINDS.get(str(kind).lower(), "CHAIN")
    plain.setdefault("openinference.span.kind", kind_name)
    if kind_name in {"TOOL", "RETRIEVER"}:
        plain.setdefault("tool.name", name)
    return kind_name


def _from_langfuse(plain: JsonObject, name: str) -> None:
    kind = _set_kind(plain, plain.pop(f"{_LANGFUSE}type", "span"), name)
    _move_json(plain, f"{_LANGFUSE}input", "input.value")
    _move_json(plain, f"{_LANGFUSE}output", "output.value")
    _move(plain, f"{_LANGFUSE}model.name", "gen_ai.response.model")
    _move_json(plain, f"{_LANGFUSE}usage_details", USAGE_OBJECT)
    _move(plain, "langfuse.session.id", "session.id")
    _move(plain, "langfuse.trace.name", "trace.name")
    costs = object_of(decoded(plain.pop(f"{_LANGFUSE}cost_details", None)))
    if costs.get("total") is not None:
        plain.setdefault("llm.cost.total", costs["total"])
    given = plain.get("input.value")
    if kind == "TOOL" and is_object(given):
        plain["input.value"] = _without_args(given)
    parameters = object_of(decoded(plain.get(f"{_LANGFUSE}model.parameters")))
    if parameters.get("service_tier"):
        plain.setdefault("service_tier", parameters["service_tier"])
    if str(plain.get(f"{_LANGFUSE}level")).upper() == "ERROR":
        message = plain.get(f"{_LANGFUSE}status_message") or "error"
        plain.setdefault("error.type", str(message)[:200])
        plain.setdefault("error.message", message)


def _without_args(given: JsonObject) -> object:
    """The arguments of a decorated function: by name, or by position where it has such."""
    if given.keys() != {"args", "kwargs"}:
        return given
    if given["args"]:
        return {**object_of(given["kwargs"]), "args": given["args"]}
    arguments: object = given["kwargs"]
    return arguments


_MLFLOW_USAGE: Final = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "total_tokens": "gen_ai.usage.total_tokens",
    "cache_read_input_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_creation_input_tokens": "gen_ai.usage.cache_creation.input_tokens",
    "cache_creation_input_tokens_above_1hr": (
        "anthropic.usage.cache_creation.ephemeral_1h_input_tokens"
    ),
}
"""Its names are those of Anthropic, but its input includes the cache for every provider (mlflow 3.17.2)."""


def _from_mlflow(plain: JsonObject, name: str) -> None:
    for key, value in list(plain.items()):
        if isinstance(value, str):
            plain[key] = decoded_scalar(value)
    _set_kind(plain, plain.pop("mlflow.spanType", "span"), name)
    _move(plain, "mlflow.spanInputs", "input.value")
    _move(plain, "mlflow.spanOutputs", "output.value")
    _move(plain, "mlflow.llm.model", "gen_ai.response.model")
    _move(plain, "model", "gen_ai.request.model")
    usage = object_of(plain.pop("mlflow.chat.tokenUsage", None))
    for key, count in usage.items():
        plain.setdefault(_MLFLOW_USAGE.get(key, f"mlflow.chat.tokenUsage.{key}"), count)
    _move(plain, "mlflow.llm.provider", "gen_ai.provider.name")
    _move(plain, "mlflow.trace.session", "session.id")
    cost = object_of(plain.pop("mlflow.llm.cost", None)).get("total_cost")
    if cost is not None:
        plain.setdefault("llm.cost.total", cost)


_DIALECTS: Final[tuple[tuple[str, _Translate], ...]] = (
    (_LANGFUSE, _from_langfuse),
    (_MLFLOW, _from_mlflow),
)
