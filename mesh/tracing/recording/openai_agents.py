"""Run hooks for the OpenAI Agents SDK: every model call, tool and handoff is a step.

await Runner.run(agent, question, hooks=agents_hooks(recorder))
"""

from __future__ import annotations

from collections.abc import Hashable
from importlib import import_module
from types import new_class
from typing import Any

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.tracing import EventType, StateType
from judgemesh.mesh.tracing.recording.boundary import estimate_tokens
from judgemesh.mesh.tracing.recording.encoding import plain
from judgemesh.mesh.tracing.recording.handles import Handles
from judgemesh.mesh.tracing.recording.model_boundary import attribute, provider_of
from judgemesh.mesh.tracing.recording.recorder import Recorder


def agents_hooks(recorder: Recorder) -> Any:
    """`RunHooks` that record into the recorder's run.

    Raises:
        ConfigError: openai-agents is not installed.
    """
    try:
        sdk: Any = import_module("agents")
    except ImportError as error:
        raise ConfigError(
            "the run hooks need openai-agents", hint="pip install openai-agents"
        ) from error
    # RunHooks is generic: `type()` does not take it as a base.
    kind: Any = new_class("JudgemeshHooks", (AgentsCallbacks, sdk.RunHooks))
    return kind(recorder)


class AgentsCallbacks:
    """The hooks; `agents_hooks` makes `RunHooks` of them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._handles = Handles(recorder)

    async def on_llm_start(self, context: object, agent: object, *_: object) -> None:
        """The model is called."""
        model = attribute(agent, "model")
        client = attribute(model, "_client")
        fields: dict[str, Any] = {
            "model_name": model
            if isinstance(model, str)
            else attribute(model, "model"),
            "provider": provider_of(_Method(client)) or "openai",
        }
        step = {"agent_id": attribute(agent, "name")}
        key = _key("llm", context, agent)
        self._handles.begin(
            key, StateType.THINK, EventType.MODEL_CALLED, fields, step=step
        )

    async def on_llm_end(
        self, context: object, agent: object, response: object
    ) -> None:
        """The model answered."""
        fields: dict[str, Any] = {}
        usage = attribute(response, "usage")
        # A stream without usage ends with one of zeros: that is not reported, not 0.
        if attribute(usage, "total_tokens") or attribute(usage, "input_tokens"):
            fields["usage"] = plain(usage)
        for name in ("response_id", "request_id"):
            value = attribute(response, name)
            if isinstance(value, str) and value:
                fields[name] = value
        self._handles.end(_key("llm", context, agent), fields)

    async def on_tool_start(self, context: object, agent: object, tool: object) -> None:
        """A tool is called."""
        name = str(attribute(tool, "name") or "tool")
        arguments = attribute(context, "tool_arguments")
        call_id = attribute(context, "tool_call_id")
        fields: dict[str, Any] = {"tool_name": name, "tokens_basis": "estimated"}
        if arguments is not None:
            fields["request_tokens"] = estimate_tokens(arguments)
        if isinstance(call_id, str):
            fields["call_id"] = call_id
        step = {"api_name": name, "agent_id": attribute(agent, "name")}
        key = _key("tool", context, tool)
        self._handles.begin(
            key, StateType.API_CALL, EventType.TOOL_CALLED, fields, step=step
        )

    async def on_tool_end(
        self,
        context: object,
        agent: object,  # noqa: ARG002 (the SDK's signature)
        tool: object,
        result: object,
    ) -> None:
        """A tool answered."""
        fields = {"response_tokens_raw": estimate_tokens(result)}
        self._handles.end(_key("tool", context, tool), fields)

    async def on_handoff(
        self,
        context: object,  # noqa: ARG002 (the SDK's signature)
        from_agent: object,
        to_agent: object,
    ) -> None:
        """One agent hands over to another."""
        if self._recorder.is_recording():
            names = {
                "from_agent": attribute(from_agent, "name"),
                "to_agent": attribute(to_agent, "name"),
            }
            with self._recorder.observe(decision_type="handoff", **names):
                pass


class _Method:
    """Stands for a method of a client, for whom `provider_of` is asked."""

    def __init__(self, client: object) -> None:
        self.__self__ = client


def _key(kind: str, context: object, owner: object) -> Hashable:
    """What a call is known by: its id, or who calls in which run."""
    call_id = attribute(context, "tool_call_id") if kind == "tool" else None
    if isinstance(call_id, str):
        return (kind, call_id)
    # Not the task: a streamed call begins in one and ends in another.
    return (kind, id(owner), id(context))
