"""What a reviewer sees of one result: the prompt, the sub-goals of the contract, the answer, the trace, the cost.

No verdict, score or class is in it, whoever gave it: they would sway the reviewer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import BaseModel

from judgemesh.contracts.contract import (
    Criterion,
    EvalContract,
    FieldSpec,
    SuccessCriteria,
)
from judgemesh.contracts.effects import ExpectedExecution
from judgemesh.contracts.results import (
    Action,
    AgentResult,
    ExecutionRecord,
    StateChange,
    TraceStep,
)
from judgemesh.contracts.usage import Money
from judgemesh.mesh.reporting.text import amount, duration, one_line

_BRIEF: Final = 400
_PROMPT_KEYS: Final = ("prompt", "instruction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
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
) -> Item:
    """A result, with its contract if there is one, as a reviewer sees it.

    changes: of state, worked out; None where nothing is known of them.
    """
    steps = [
        _step_lines(number, step) for number, step in enumerate(_steps(result), start=1)
    ]
    happened = [*steps, *_records(result), *_changes(changes)]
    return Item(
        result_id=result.result_id,
        task_id=result.task_id,
        family=contract.family if contract else None,
        prompt=_prompt(result, contract),
        goals=tuple(goals_of(contract)) if contract else (),
        answer=_answer(result),
        brief=tuple(one_line(" ".join(lines), _BRIEF) for lines in happened),
        trace=_joined(happened),
        facts=tuple(_facts(result, contract)),
        contract=_contract_text(contract) if contract else "",
        problem=problem,
    )


# --- the task ---


def _prompt(result: AgentResult, contract: EvalContract | None) -> str:
    """What the user asked in this run; else what the contract says the task is."""
    own = [result.metadata.get(key) for key in _PROMPT_KEYS]
    given = [contract.input.get(key) for key in _PROMPT_KEYS] if contract else []
    stated = next(
        (text for text in (*own, *given) if isinstance(text, str) and text.strip()),
        None,
    )
    if stated is not None:
        return stated
    if contract and contract.input:
        return _json(contract.input, indent=2)
    said = (
        step.content for step in _steps(result) if step.role == "user" and step.content
    )
    return next(said, contract.task_name if contract else "")


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
        yield from (f"procedure: {_brief(rule)}" for rule in contract.sop.rules)
    if contract.execution is not None:
        yield from (
            f"executed: {_execution(one)}" for one in contract.execution.expected
        )
    if contract.state is not None:
        yield from (f"changed: {_brief(one)}" for one in contract.state.expected)
        yield from (f"document: {_brief(one)}" for one in contract.state.documents)
        yield from (f"unchanged: {path}" for path in contract.state.forbidden)
    yield from (_criterion(one) for one in contract.criteria)


def _success_goals(
    criteria: SuccessCriteria, fields: Mapping[str, FieldSpec]
) -> Iterator[str]:
    def named(kind: str, name: str) -> str:
        question = fields[name].question if name in fields else None
        return f"{kind} {name}" + (f": {question}" if question else "")

    yield from (named("output", name) for name in criteria.required_outputs)
    yield from (named("says", name) for name in criteria.must_include)
    if criteria.execution_result.required:
        yield "what was asked for was really executed, and the records show it"
        yield from (
            f"the execution names {name}"
            for name in criteria.execution_result.must_include
        )
        yield from (
            f"not: {name}" for name in criteria.execution_result.must_not_include
        )
    yield from (f"not: {name}" for name in criteria.must_not_include)


def _criterion(one: Criterion) -> str:
    return one.question if one.pass_if == "yes" else f"{one.question} (should be: no)"


def _execution(one: ExpectedExecution) -> str:
    parts = [one.kind, *([_matched(one.target)] if one.target else [])]
    parts += [f"{name} {_matched(value)}" for name, value in one.parameters.items()]
    return ", ".join(parts) + (f", {one.count} times" if one.count > 1 else "")


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
    parts.append(_list("Says it did", [_deed(one) for one in result.actions]))
    if result.plan is not None:
        parts.append(f"Plan:\n{_block(result.plan)}")
    return "\n\n".join(part for part in parts if part.strip())


def _deed(one: Action | ExecutionRecord) -> str:
    """An action or a record in one line."""
    parts = [
        one.kind,
        one.target or "",
        _json(one.parameters) if one.parameters else "",
    ]
    parts.append(f"confirmation {one.confirmation_id}" if one.confirmation_id else "")
    parts.append(one.status or "")
    if isinstance(one, Action) and one.confirmed is not None:
        parts.append(
            "confirmed by the user" if one.confirmed else "not confirmed by the user"
        )
    return " ".join(part for part in parts if part)


def _list(title: str, lines: list[str]) -> str:
    return "\n".join([f"{title}:", *(f"- {line}" for line in lines)]) if lines else ""


# --- the trace ---


def _steps(result: AgentResult) -> list[TraceStep]:
    return result.trace.steps if result.trace else []


def _step_lines(number: int, step: TraceStep) -> list[str]:
    """A step as lines; the first says who did what."""
    who = step.tool_name or step.role or step.state_type or "step"
    head = f"{number} {who}"
    if step.arguments or step.tool_name:
        head += f"({', '.join(f'{name}={_word(value)}' for name, value in step.arguments.items())})"
    lines = [head + (f" [{step.status}]" if step.status else "")]
    if step.content:
        lines[0] += ":"
        lines.append(step.content)
    if step.result is not None:
        lines.append(f"-> {_block(step.result)}")
    if step.error:
        lines.append(f"error: {step.error}" if isinstance(step.error, str) else "error")
    return [
        *lines,
        *(
            f"{name}: {_block(value)}"
            for name, value in (step.model_extra or {}).items()
        ),
    ]


def _joined(entries: list[list[str]]) -> str:
    """Entries under each other, those of several lines set apart."""
    texts = ["\n".join(lines) for lines in entries]
    return "".join(
        ("\n\n" if "\n" in text or "\n" in before else "\n") + text if place else text
        for place, (text, before) in enumerate(zip(texts, ["", *texts], strict=False))
    )


def _records(result: AgentResult) -> Iterator[list[str]]:
    for event in result.trace.events if result.trace else ():
        yield [f"event {_json(event)}"]
    if result.records is not None and not result.records:
        yield ["records: none"]
    for record in result.records or ():
        yield [f"record {_deed(record)}"]


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
    yield _cost(
        result.cost, contract.budget.ceiling if contract and contract.budget else None
    )
    if result.latency_ms is not None:
        yield duration(result.latency_ms / 1000)


def _cost(cost: Money | None, ceiling: Money | None) -> str:
    if cost is None:
        return f"cost unknown, ceiling {amount(ceiling)}" if ceiling else "cost unknown"
    if ceiling is None:
        return f"cost {amount(cost)}, no ceiling"
    if ceiling.currency != cost.currency:
        return f"cost {amount(cost)}, ceiling {amount(ceiling)}"
    times = cost.amount / ceiling.amount
    return f"cost {amount(cost)}, ceiling {amount(ceiling)}" + (
        f": {times:.1f} times it" if times > 1 else ""
    )


# --- data as text ---


def _dump(model: BaseModel) -> dict[str, Any]:
    """What was written, and nothing that was left to defaults."""
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
    return (
        flat
        if len(flat) <= 100 or not isinstance(value, dict | list)
        else _json(cast("Any", value), indent=2)
    )


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)
