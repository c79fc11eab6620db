"""A trace read: what the agent said, which steps failed, and the whole trace as text for a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case
from judgemesh.validators._shared.values import json_text

if TYPE_CHECKING:
    from judgemesh.contracts.result_parts.trace import TraceStep

USER_ROLES: Final = frozenset({"user", "human", "customer", "end_user", "client"})
_ROLE_GROUPS: Final = (
    ("user", USER_ROLES),
    ("assistant", frozenset({"assistant", "agent", "ai", "model", "bot"})),
    ("system", frozenset({"system", "developer"})),
    (
        "tool",
        frozenset({"tool", "function", "tool_response", "observation", "ipython"}),
    ),
)
ASSISTANT_ROLES: Final = frozenset({"assistant", "agent", "ai", "model", "bot"})
_TIMEOUT_SIGNS: Final = (
    "timeout",
    "timed out",
    "timed_out",
    "deadline exceeded",
    "time limit",
)


def word(status: str | None) -> str:
    """A status as one comparable word (`Timed out` -> `timed_out`)."""
    words = (status or "").casefold().replace("-", " ").replace("_", " ").split()
    return "_".join(words)


def failed_status(status: str | None) -> bool:
    """Whether the status says that the action did not happen."""
    return _says_failed(status, "")


def role_group(role: str | None) -> str:
    """The common name of a role: `human` is `user`, `ai` is `assistant`."""
    spoken = word(role)
    for name, members in _ROLE_GROUPS:
        if spoken in members:
            return name
    return spoken


def same_role(expected: str, actual: str | None) -> bool:
    """Whether two roles are the same under their common names."""
    return role_group(expected) == role_group(actual)


def step_failed(step: TraceStep) -> bool:
    """Whether the step's status, its error or its result says that it failed."""
    if step.error or _says_failed(step.status, step.tool_name or ""):
        return True
    if step.tool_name is None or not step.result:
        return False
    from judgemesh.contracts.result_parts.call_results import states_error

    return states_error(step.result)


def _says_failed(status: str | None, tool: str) -> bool:
    if not status:
        return False
    # The tables of status words are heavy to import.
    from judgemesh.validators._shared.trace.status import Standing, standing

    return standing(status, tool) is Standing.FAILED


def step_timed_out(step: TraceStep) -> bool:
    """Whether a failed step failed by running out of time."""
    if not step_failed(step):
        return False
    error = step.error if isinstance(step.error, str) else ""
    text = f"{step.status or ''} {error}".casefold()
    return any(sign in text for sign in _TIMEOUT_SIGNS)


def step_ref(step: TraceStep, index: int) -> str:
    """The step's own id, else its number from 1."""
    if step.step_id is None:
        return str(index + 1)
    return str(step.step_id)


def utterances(result: AgentResult) -> list[tuple[str, str]]:
    """Everything the agent said in the trace: reference and text. The final answer is not among them."""
    steps = result.trace.steps if result.trace else ()
    return [
        (f"trace:{step_ref(step, index)}", step.content)
        for index, step in enumerate(steps)
        if step.content and (step.role or "").casefold() in ASSISTANT_ROLES
    ]


def user_turns(result: AgentResult) -> list[tuple[str, int, str]]:
    """Everything the user said in the trace: reference, position among all steps, and text.

    Results of tools that stand in messages of the user are no turns of the user.
    """
    steps = result.trace.steps if result.trace else ()
    turns: list[tuple[str, int, str]] = []
    for position, step in enumerate(steps):
        if step.content and step.tool_name is None and word(step.role) in USER_ROLES:
            ref = f"trace:{step_ref(step, position)}"
            turns.append((ref, position, step.content))
    return turns


def transcript_hidden(result: AgentResult) -> bool:
    """Whether the steps of the run are not in the result, so that nothing can be said about them.

    A list of steps that is given and empty says that the run took none.
    """
    trace = result.trace
    if trace is None or trace.unread is not None:
        return True
    return not (trace.steps or "steps" in trace.model_fields_set)


def unread_trace(case: Case) -> str | None:
    """Why the trace could not be read; None where it was read, and where the result carries none."""
    trace = case.result.trace
    return case.problems.get("trace") or (trace.unread if trace else None)


def without_trace(case: Case) -> str | None:
    """Why nothing can be said about the run's steps: the trace could not be read, or there is none."""
    unread = unread_trace(case)
    if unread is not None:
        return unread
    if transcript_hidden(case.result):
        return "the result carries no trace steps"
    return None


def rendered(steps: Sequence[TraceStep]) -> str:
    """The trace as text for a judge, whole: one line or more for each step, beginning with `[id]`."""
    return "\n".join(_line(step, index) for index, step in enumerate(steps))


def _line(step: TraceStep, index: int) -> str:
    head = f"[{step_ref(step, index)}]"
    if step.tool_name is None:
        speaker = step.role or step.state_type or "step"
        return f"{head} {speaker}: {step.content or ''}"
    arguments = json_text(step.arguments)
    line = f"{head} {step.role or 'assistant'} called {step.tool_name}({arguments})"
    if step.result is not None:
        result = step.result
        line += f" -> {result if isinstance(result, str) else json_text(result)}"
    if step_failed(step):
        line += f" [failed: {step.error or step.status}]"
    if step.content:
        line += f" ({step.content})"
    return line
