"""A callback handler for LangChain and LangGraph: every model call, tool and retriever is a step.

    chain.invoke(question, config={"callbacks": [langchain_handler(recorder)]})

The usage is that of the message (`usage_metadata`), else what the provider's reply says. Chains and graphs are no steps
of the run: they call nothing themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.tracing import EventType, StateType
from judgemesh.mesh.tracing.recording.boundaries import arguments_digest
from judgemesh.mesh.tracing.recording.boundary import estimate_tokens
from judgemesh.mesh.tracing.recording.encoding import plain
from judgemesh.mesh.tracing.recording.handles import Handles
from judgemesh.mesh.tracing.recording.model_boundary import attribute, model_of
from judgemesh.mesh.tracing.recording.recorder import Recorder


def langchain_handler(recorder: Recorder) -> Any:
    """A `BaseCallbackHandler` that records into the recorder's run.

    Raises:
        ConfigError: langchain-core is not installed.
    """
    try:
        core: Any = import_module("langchain_core.callbacks")
    except ImportError as error:
        raise ConfigError(
            "the callback handler needs langchain-core",
            hint="pip install langchain-core",
        ) from error
    bases = (LangChainCallbacks, core.BaseCallbackHandler)
    kind = type("JudgemeshHandler", bases, {"run_inline": True})
    return kind(recorder)


class LangChainCallbacks:
    """The callbacks; `langchain_handler` makes a handler of them."""

    def __init__(self, recorder: Recorder) -> None:
        self._handles = Handles(recorder)

    def on_chat_model_start(self, *_: object, run_id: object, **kwargs: Any) -> None:
        """A chat model is called."""
        self._begin_model(run_id, kwargs)

    def on_llm_start(self, *_: object, run_id: object, **kwargs: Any) -> None:
        """A completion model is called."""
        self._begin_model(run_id, kwargs)

    def _begin_model(self, run_id: object, kwargs: Mapping[str, Any]) -> None:
        metadata: object = kwargs.get("metadata")
        fields = {
            "provider": attribute(metadata, "ls_provider") or "",
            "model_name": attribute(metadata, "ls_model_name"),
        }
        self._handles.begin(
            str(run_id), StateType.THINK, EventType.MODEL_CALLED, fields, step={}
        )

    def on_llm_end(self, response: object, *, run_id: object, **_: Any) -> None:
        """A model answered."""
        self._handles.end(str(run_id), _reply_fields(response))

    def on_llm_error(
        self, error: BaseException, *, run_id: object, response: object = None, **_: Any
    ) -> None:
        """A call of a model failed. What had been answered is counted."""
        fields = _reply_fields(response)
        if "usage" in fields:
            fields["usage_partial"] = True
        self._handles.end(str(run_id), fields, error=error)

    def on_tool_start(
        self, serialized: object, input_str: str, *, run_id: object, **kwargs: Any
    ) -> None:
        """A tool is called."""
        name = attribute(serialized, "name") or kwargs.get("name") or "tool"
        inputs = kwargs.get("inputs") or input_str
        fields: dict[str, object] = {
            "tool_name": name,
            "request_tokens": estimate_tokens(inputs),
            "arguments_digest": arguments_digest((inputs,), {}),
            "tokens_basis": "estimated",
        }
        call_id = kwargs.get("tool_call_id")
        if isinstance(call_id, str):
            fields["call_id"] = call_id
        self._handles.begin(
            str(run_id),
            StateType.API_CALL,
            EventType.TOOL_CALLED,
            fields,
            step={"api_name": name},
        )

    def on_tool_end(self, output: object, *, run_id: object, **_: Any) -> None:
        """A tool answered."""
        content = attribute(output, "content")
        tokens = estimate_tokens(output if content is None else content)
        fields: dict[str, object] = {"response_tokens_raw": tokens}
        if attribute(output, "status") == "error":
            fields |= {"status": "error", "error_type": "ToolError"}
        self._handles.end(str(run_id), fields)

    def on_tool_error(self, error: BaseException, *, run_id: object, **_: Any) -> None:
        """A tool failed."""
        self._handles.end(str(run_id), {}, error=error)

    def on_retriever_start(
        self, serialized: object, query: str, *, run_id: object, **kwargs: Any
    ) -> None:
        """A retriever is asked."""
        name = kwargs.get("name") or attribute(serialized, "name") or "retriever"
        step = {
            "retriever_name": name,
            "query_count": 1,
            "query_tokens": estimate_tokens(query),
            "tokens_basis": "estimated",
        }
        self._handles.begin(
            str(run_id),
            StateType.RETRIEVE,
            EventType.TOOL_CALLED,
            {"tool_name": name},
            step=step,
        )

    def on_retriever_end(
        self, documents: Sequence[object], *, run_id: object, **_: Any
    ) -> None:
        """A retriever answered."""
        texts = [attribute(document, "page_content") for document in documents]
        step = {
            "returned_chunks": len(texts),
            "raw_result_tokens": sum(map(estimate_tokens, texts)),
        }
        self._handles.end(str(run_id), {}, step=step)

    def on_retriever_error(
        self, error: BaseException, *, run_id: object, **_: Any
    ) -> None:
        """A retriever failed."""
        self._handles.end(str(run_id), {}, error=error)


def _reply_fields(response: object) -> dict[str, Any]:
    """Usage and model of an `LLMResult`.

    Every choice of a call repeats the usage of the whole call, so the first counts.
    """
    fields: dict[str, Any] = {}
    generations = cast("list[list[object]]", attribute(response, "generations") or [])
    first = generations[0][0] if generations and generations[0] else None
    message = attribute(first, "message")
    output = attribute(response, "llm_output")
    usage = attribute(message, "usage_metadata") or attribute(output, "token_usage")
    usage = usage or attribute(output, "usage")
    if usage:
        fields["usage"] = plain(usage)
    model = model_of(message) or model_of(output)
    if model:
        fields["model_name"] = model
    metadata = attribute(message, "response_metadata")
    for name in ("service_tier", "id"):
        value = attribute(metadata, name)
        if isinstance(value, str) and value:
            fields["response_id" if name == "id" else name] = value
    return fields
