"""The spans of tools, and the calls of a transcript that they belong to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judgemesh.contracts.tracing import Step
from judgemesh.contracts.transcripts.arguments import read_arguments
from judgemesh.contracts.transcripts.items import read_item
from judgemesh.contracts.transcripts.keys import fold
from judgemesh.contracts.transcripts.parts import Returned
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_object
from judgemesh.mesh.tracing.spans.messages import decoded

_FAILED: Final = frozenset({"error", "timeout"})
_RAW: Final = "INVALID_JSON"
"""The key under which PydanticAI holds arguments that are no JSON."""


@dataclass(slots=True)
class ToolRun:
    """One execution of a tool. `number`: its place among the steps."""

    number: int
    name: str
    call_id: str | None
    arguments: JsonObject
    arguments_text: str | None
    states_arguments: bool
    result: Any
    error: str | bool | None


def tool_runs_of(steps: Sequence[Step], base: int, factor: int) -> Iterator[ToolRun]:
    """The executions in a trace, each once, in their order.

    Their numbers are `(base + step_id) * factor`.
    """
    seen: set[str] = set()
    above: dict[int, str] = {}
    for step in steps:
        parent_name = above.get(step.parent_step_id or 0, "")
        if parent_name:
            above[step.step_id] = parent_name
        run = _run_of(step, (base + step.step_id) * factor)
        if run is None:
            continue
        # A client of a tool server inside the tool of the same name is the same call.
        is_inner = bool(parent_name) and fold(run.name).endswith(parent_name)
        is_copy = run.call_id is not None and run.call_id in seen
        above[step.step_id] = fold(run.name)
        if run.call_id is not None:
            seen.add(run.call_id)
        if not is_inner and not is_copy:
            yield run


def _run_of(step: Step, number: int) -> ToolRun | None:
    tool = step.tools[0] if step.tools else None
    if tool is None or not tool.tool_name or not step.content.get("is_tool"):
        return None
    given = decoded(step.content.get("arguments"))
    if is_object(given) and given.keys() == {_RAW}:
        given = given[_RAW]
    arguments, text = read_arguments(given)
    result, error, call_id = _outcome(step)
    return ToolRun(
        number=number,
        name=tool.tool_name,
        call_id=tool.call_id or call_id,
        arguments=arguments,
        arguments_text=text,
        states_arguments="arguments" in step.content,
        result=result,
        error=error,
    )


def _outcome(step: Step) -> tuple[Any, str | bool | None, str | None]:
    """Result, error and call id; LangChain's results are messages."""
    result: Any = decoded(step.content.get("result"))
    error: str | bool | None = None
    call_id: str | None = None
    message = _tool_message(result)
    if message is not None:
        result, error = message.outcome.value, message.outcome.error
        call_id = message.ids[0] if message.ids else None
    if step.status in _FAILED and error is None:
        stated = step.content.get("error")
        error = stated if isinstance(stated, str) and stated else True
    return result, error, call_id


def _tool_message(result: Any) -> Returned | None:
    if not is_object(result):
        return None
    for key in ("output", "message"):
        inner = result.get(key)
        if is_object(inner) and result.keys() <= {"output", "message"}:
            return _tool_message(inner)
    text = repr(result)
    if "tool_call_id" not in text:
        return None
    parts = [part for part in read_item(result) if isinstance(part, Returned)]
    return parts[0] if len(parts) == 1 and parts[0].ids else None


def add_tool_runs(steps: list[JsonObject], runs: Iterable[ToolRun]) -> None:
    """Give each execution to the call it belongs to; the others become calls."""
    free = [step for step in steps if step.get("tool_name")]
    waiting: list[ToolRun] = []
    for run in runs:
        if not _take(run, free, _has_id):
            waiting.append(run)
    for fits in (_has_arguments, _has_name):
        waiting = [run for run in waiting if not _take(run, free, fits)]
    for run in waiting:
        _insert(run, steps)


def _take(run: ToolRun, free: list[JsonObject], fits: Any) -> bool:
    for step in free:
        if fits(run, step):
            _complete(step, run)
            free[:] = [other for other in free if other is not step]
            return True
    return False


def _has_id(run: ToolRun, step: JsonObject) -> bool:
    return run.call_id is not None and step.get("call_id") == run.call_id


def _has_name(run: ToolRun, step: JsonObject) -> bool:
    if run.call_id is not None and step.get("call_id") is not None:
        return False  # ids that differ
    one, other = fold(run.name), fold(str(step["tool_name"]))
    return one.endswith(other) or other.endswith(one)


def _has_arguments(run: ToolRun, step: JsonObject) -> bool:
    return _has_name(run, step) and step.get("arguments") == run.arguments


def _complete(step: JsonObject, run: ToolRun) -> None:
    """What the model was told stays; the span adds what is missing, and the failure."""
    if step.get("result") is None and run.result is not None:
        step["result"] = run.result
    if run.error and not step.get("error"):
        step["status"] = "error"
        step["error"] = run.error
        if step.get("result") is None and isinstance(run.error, str):
            step["result"] = run.error


def _insert(run: ToolRun, steps: list[JsonObject]) -> None:
    step: JsonObject = {
        "step_id": f"{run.number}.1",
        "tool_name": run.name,
        "arguments": run.arguments,
        "call_id": run.call_id,
    }
    if run.arguments_text is not None:
        step["arguments_text"] = run.arguments_text
    _complete(step, run)
    position = len(steps)
    for index, other in enumerate(steps):
        if _number(other) > run.number:
            position = index
            break
    steps.insert(position, step)


def _number(step: JsonObject) -> int:
    return int(str(step.get("step_id") or 0).partition(".")[0])
