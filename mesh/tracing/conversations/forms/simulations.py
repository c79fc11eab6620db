"""Benchmarks and interchange formats: runs of tau-bench, trajectories of ATIF."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judgemesh.contracts.transcripts.keys import Fields
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    list_of,
    object_of,
    objects_of,
)


def tau_runs(document: Document) -> Iterator[Record]:
    """The simulations of a results file of tau2, or the runs of tau-bench (`traj`)."""
    for item in document.objects:
        model = object_of(object_of(item.get("info")).get("agent_info")).get("llm")
        runs = objects_of(item.get("simulations")) or [item]
        for run in runs:
            messages = list_of(run.get("messages")) or list_of(run.get("traj"))
            yield Record(
                messages=[_tau_message(message) for message in messages],
                id=str(run.get("id") or run.get("task_id") or ""),
                model=model if isinstance(model, str) else None,
                usages=[
                    object_of(message.get("usage"))
                    for message in objects_of(messages)
                    if message.get("role") == "assistant"
                ],
            )


def _tau_message(message: Any) -> Any:
    """A message. The user's own tool calls are no calls of the agent."""
    fields = Fields(object_of(message))
    if fields.get("requestor") == "user":
        return {"role": "system", "content": str(fields.get("content") or "")}
    if fields.get("role") == "user" and fields.get("toolcalls"):
        return {"role": "user", "content": fields.get("content") or ""}
    return message


def atif_trajectories(document: Document) -> Iterator[Record]:
    """The trajectories of ATIF: steps of `source` user, agent or system, calls with their observations."""
    for item in document.objects:
        messages: list[JsonObject] = []
        for step in objects_of(item.get("steps")):
            messages += _atif_step(step)
        yield Record(
            messages=messages,
            id=str(item.get("session_id") or ""),
            model=Fields(object_of(item.get("agent"))).text("modelname"),
            usages=[
                object_of(step.get("metrics")) for step in objects_of(item.get("steps"))
            ],
        )


def _atif_step(step: JsonObject) -> Iterator[JsonObject]:
    role = {"agent": "assistant"}.get(str(step.get("source")), step.get("source"))
    at = {"timestamp": step.get("timestamp")}
    if step.get("reasoning_content"):
        yield {"type": "thinking", "thinking": step["reasoning_content"], **at}
    if step.get("message"):
        yield {"role": role, "content": step["message"], **at}
    if step.get("tool_calls"):
        yield {"role": role, "tool_calls": step["tool_calls"], **at}
    for result in objects_of(object_of(step.get("observation")).get("results")):
        if result.get("source_call_id"):
            yield {
                "role": "tool",
                "tool_call_id": result["source_call_id"],
                "content": result.get("content"),
                **at,
            }
