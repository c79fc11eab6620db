"""One result as a reviewer sees it: prompt, sub-goals of the contract, answer, trace and cost.

No verdict, score or class is in it, whoever gave it: they would sway the reviewer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import BaseModel

from judgemesh.contracts.contract import EvalContract, SuccessCriteria
from judgemesh.contracts.money import Money
from judgemesh.contracts.result_parts.actions import Action, ExecutionRecord
from judgemesh.contracts.result_parts.changes import StateChange
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.sections.criterion import Criterion
from judgemesh.contracts.sections.effects import ExpectedExecution, StateSpec
from judgemesh.contracts.sections.expectations import FieldSpec
from judgemesh.mesh.reporting.text import amount, duration, one_line

_BRIEF_CHARS: Final = 400
_MAX_FLAT_CHARS: Final = 100
_PROMPT_KEYS: Final = ("prompt", "instruction")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """One result as text, not yet made safe for a terminal.

    goals: the sub-goals, one each. brief: the trace, one line a step. facts: status, cost and duration, one each.
    problem: what could not be read, or "".
    """

    result_id: str
    task_id: str
    family: str | None
    prompt: str
    goals: tuple[str, ...]
    answer: str
    brief: tuple[str, ...]
    trace: str
    facts: tuple[str, ...]
    contract: str
    problem: str = ""


def item_of(
    result: AgentResult,
    contract: EvalContract | None,
    *,
    changes: Sequence[StateChange] | None = None,
    problem: str = "",
) -> ReviewItem:
    """A result, with its contract if there is one, as a reviewer sees it.

    changes: of state, worked out; None where nothing is known of them.
    """
    events = [
        _step_lines(number, step) for number, step in enumerate(_steps(result), start=1)
    ]
    events.extend(_records(result))
    events.extend(_changes(changes))
    return ReviewItem(
        result_id=result.result_id,
        task_id=result.task_id,
        family=contract.family if contract else None,
        prompt=_prompt(result, contract),
        goals=tuple(goals_of(contract)) if contract else (),
        answer=_answer(result),
        brief=tuple(one_line(" ".join(lines), _BRIEF_CHARS) for lines in events),
        trace=_joined(events),
        facts=tuple(_facts(result, contract)),
        contract=_contract_text(contract) if contract else "",
        problem=problem,
    )


# --- the task ---


def _prompt(result: AgentResult, contract: EvalContract | None) -> str:
    """The user's request in this run; else the task as the contract describes it."""
    task = contract.input if contract else {}
    for source in (result.metadata, task):
        for key in _PROMPT_KEYS:
            text = source.get(key)
            if isinstance(text, str) and text.strip():
                return text
    if task:
        return _json(task, indent=2)
    for step in _steps(result):
        if step.role == "user" and step.content:
            return step.content
    return contract.task_name if contract else ""


def goals_of(contract: EvalContract) -> Iterator[str]:
    """What the contract asks for, one line a sub-goal, in the contract's order."""
    yield from _success_goals(contract.success_criteria, contract.fields)
    if contract.output_schema is not None:
        yield "the output has the structure of a JSON Schema"
    if contract.evidence is not None and contract.evidence.required:
        yield f"at least {contract.evidence.min_citations} citations, and they exist in the sources"
    if contract.claims is not None:
        yield f"claims: {_brief(contract.claims)}"
    if contract.sop is not None:
        for rule in contract.sop.rules:
            yield f"procedure: {_brief(rule)}"
    if contract.execution is not None:
        for execution in contract.execution.expected:
            yield f"executed: {_execution(execution)}"
    if contract.state is not None:
        yield from _state_goals(contract.state)
    for criterion in contract.criteria:
        yield _criterion(criterion)


def _state_goals(state: StateSpec) -> Iterator[str]:
    for change in state.expected:
        yield f"changed: {_brief(change)}"
    for document in state.documents:
        yield f"document: {_brief(document)}"
    for path in state.forbidden:
        yield f"unchanged: {path}"


def _success_goals(
    criteria: SuccessCriteria, fields: Mapping[str, FieldSpec]
) -> Iterator[str]:
    def named(kind: str, name: str) -> str:
        question = fields[name].question if name in fields else None
        return f"{kind} {name}: {question}" if question else f"{kind} {name}"

    for name in criteria.required_outputs:
        yield named("output", name)
    for name in criteria.must_include:
        yield named("says", name)
    execution = criteria.execution_result
    if execution.required:
        yield "what was asked for was really executed, and the records show it"
        for name in execution.must_include:
            yield f"the execution names {name}"
        for name in execution.must_not_include:
            yield f"not: {name}"
    for name in criteria.must_not_include:
        yield f"not: {name}"


def _criterion(criterion: Criterion) -> str:
    if criterion.pass_if == "yes":
        return criterion.question
    return f"{criterion.question} (should be: no)"


def _execution(execution: ExpectedExecution) -> str:
    parts = [execution.kind]
    if execution.target:
        parts.append(_matched(execution.target))
    for name, matcher in execution.parameters.items():
        parts.append(f"{name} {_matched(matcher)}")
    if execution.count > 1:
        parts.append(f"{execution.count} times")
    return ", ".join(parts)


def _matched(matcher: BaseModel) -> str:
    data = _dump(matcher)
    return _word(data["equals"]) if data.keys() == {"equals"} else _json(data)


def _contract_text(contract: EvalContract) -> str:
    import yaml

    return yaml.safe_dump(
        _dump(contract), sort_keys=False, allow_unicode=True, width=100
    )


# --- the answer ---


def _answer(result: AgentResult) -> str:
    """Everything the agent delivered: its answer, named outputs, citations, claims, and what it says it did."""
    output = result.output
    parts = [output.final_answer or ""]
    parts += [f"{name}:\n{_block(value)}" for name, value in output.outputs.items()]
    parts.append(
        _list(
            "Citations",
            [
                _brief(one) if one.url or one.id else one.text
                for one in output.citations
            ],
        )
    )
    parts.append(
        _list(
            "Claims",
            [_brief(one) if one.citations else one.text for one in output.claims],
        )
    )
    parts.append(
        _list("Says it did", [_execution_line(action) for action in result.actions])
    )
    if result.plan is not None:
        parts.append(f"Plan:\n{_block(result.plan)}")
    return "\n\n".join(part for part in parts if part.strip())


def _execution_line(execution: Action | ExecutionRecord) -> str:
    """An action or a record in one line."""
    parts = [execution.kind, execution.target]
    if execution.parameters:
        parts.append(_json(execution.parameters))
    if execution.confirmation_id:
        parts.append(f"confirmation {execution.confirmation_id}")
    parts.append(execution.status)
    if isinstance(execution, Action) and execution.confirmed is not None:
        confirmed = "confirmed" if execution.confirmed else "not confirmed"
        parts.append(f"{confirmed} by the user")
    return " ".join(part for part in parts if part)


def _list(title: str, lines: list[str]) -> str:
    if not lines:
        return ""
    return "\n".join([f"{title}:", *(f"- {line}" for line in lines)])


# --- the trace ---


def _steps(result: AgentResult) -> list[TraceStep]:
    return result.trace.steps if result.trace else []


def _step_lines(number: int, step: TraceStep) -> list[str]:
    """A step as lines; the first names the tool or the role."""
    actor = step.tool_name or step.role or step.state_type or "step"
    head = f"{number} {actor}"
    if step.arguments or step.tool_name:
        arguments = [f"{name}={_word(value)}" for name, value in step.arguments.items()]
        head += f"({', '.join(arguments)})"
    if step.status:
        head += f" [{step.status}]"
    lines = [head]
    if step.content:
        lines = [f"{head}:", step.content]
    if step.result is not None:
        lines.append(f"-> {_block(step.result)}")
    if step.error:
        lines.append(f"error: {step.error}" if isinstance(step.error, str) else "error")
    for name, value in (step.model_extra or {}).items():
        lines.append(f"{name}: {_block(value)}")
    return lines


def _joined(entries: list[list[str]]) -> str:
    """Entries under each other, those of several lines set apart."""
    joined = ""
    before = ""
    for lines in entries:
        entry = "\n".join(lines)
        if joined:
            joined += "\n\n" if "\n" in entry or "\n" in before else "\n"
        joined += entry
        before = entry
    return joined


def _records(result: AgentResult) -> Iterator[list[str]]:
    for event in result.trace.events if result.trace else ():
        yield [f"event {_json(event)}"]
    if result.records is not None and not result.records:
        yield ["records: none"]
    for record in result.records or ():
        yield [f"record {_execution_line(record)}"]


def _changes(changes: Sequence[StateChange] | None) -> Iterator[list[str]]:
    if changes is not None and not changes:
        yield ["state: nothing changed"]
    for change in changes or ():
        yield [f"state {_change(change)}"]


def _change(change: StateChange) -> str:
    match change.op:
        case "add":
            return f"{change.path}: added {_word(change.after)}"
        case "remove":
            return f"{change.path}: removed {_word(change.before)}"
        case _:
            return f"{change.path}: {_word(change.before)} -> {_word(change.after)}"


# --- facts ---


def _facts(result: AgentResult, contract: EvalContract | None) -> Iterator[str]:
    yield f"status {result.status.value}"
    ceiling = contract.budget.ceiling if contract and contract.budget else None
    yield _cost(result.cost, ceiling)
    if result.latency_ms is not None:
        yield duration(result.latency_ms / 1000)


def _cost(cost: Money | None, ceiling: Money | None) -> str:
    if cost is None:
        return f"cost unknown, ceiling {amount(ceiling)}" if ceiling else "cost unknown"
    if ceiling is None:
        return f"cost {amount(cost)}, no ceiling"
    if ceiling.currency != cost.currency:
        return f"cost {amount(cost)}, ceiling {amount(ceiling)}"
    text = f"cost {amount(cost)}, ceiling {amount(ceiling)}"
    ratio = cost.amount / ceiling.amount
    return f"{text}: {ratio:.1f} times it" if ratio > 1 else text


# --- data as text ---


def _dump(model: BaseModel) -> dict[str, Any]:
    """The keys that were written, without those left to their defaults."""
    return model.model_dump(mode="json", exclude_unset=True, by_alias=True)


def _brief(model: BaseModel) -> str:
    return ", ".join(f"{name} {_word(value)}" for name, value in _dump(model).items())


def _word(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _block(value: Any) -> str:
    """Text as it is; data over several lines as soon as it is more than a few values."""
    if isinstance(value, str):
        return value
    flat = _json(value)
    if len(flat) > _MAX_FLAT_CHARS and isinstance(value, dict | list):
        return _json(cast("Any", value), indent=2)
    return flat


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
