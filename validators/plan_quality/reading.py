"""Reading a plan as steps: from structured plans by the names of their keys, from text by its list items.

Agents write plans in many shapes. What a key means goes by its folded name (`onFailure`, `on_failure` and `On failure`
are one), and a text is a list of steps when it is numbered, bulleted, or one parenthesised action a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.results import AgentResult, TraceStep
from judgemesh.validators._shared.text import fold_name, is_hollow, plain
from judgemesh.validators._shared.transcript import ASSISTANT_ROLES
from judgemesh.validators._shared.values import as_mapping, as_sequence, json_text

MAX_STEPS: Final = 2_000
_MAX_TEXT: Final = 200_000


def _names(*names: str) -> frozenset[str]:
    return frozenset(map(fold_name, names))


_STEPS: Final = _names("steps", "plan", "actions", "tasks", "items")
_ID: Final = _names("id", "step_id", "step", "number", "name", "index")
_ACTION: Final = _names(
    "action", "tool", "tool_name", "operation", "function", "call", "command"
)
_TEXT: Final = _names(
    "description",
    "text",
    "title",
    "task",
    "detail",
    "details",
    "what",
    "goal",
    "summary",
)
_SAID_AS_NAME: Final = _names("step", "name")
_ARGUMENTS: Final = _names("arguments", "args", "parameters", "params", "with")
_DEPENDS: Final = _names(
    "depends_on",
    "depends",
    "dependencies",
    "after",
    "needs",
    "prerequisites",
    "preconditions_of",
)
_INPUTS: Final = _names("inputs", "input", "consumes", "uses", "reads")
_OUTPUTS: Final = _names("outputs", "output", "produces", "creates", "yields")
_BRANCH: Final = _names(
    "on_failure", "on_error", "on_fail", "if_fails", "if_it_fails", "failure_branch", "failure_branches", "branches",
    "branch", "fallback", "contingency", "error_handling", "otherwise", "else", "recovery", "on_timeout",
)  # fmt: skip
_ROLLBACK: Final = _names(
    "rollback",
    "rollback_action",
    "undo",
    "revert",
    "compensation",
    "how_to_undo",
    "restore",
)
_MARK: Final = _names(
    "destructive", "write", "writes", "mutates", "mutating", "irreversible", "reversible", "reversibility",
    "side_effects", "side_effect", "access", "risk",
)  # fmt: skip
_TAGS: Final = _names("tags", "tag", "labels", "label", "kind", "type")
_TAG_WORDS: Final = _names(
    "write",
    "destructive",
    "irreversible",
    "reversible",
    "mutating",
    "mutation",
    "delete",
)
_MAY_FAIL: Final = _names("may_fail", "can_fail", "fallible")
_PLAN_STATES: Final = _names("plan", "planning", "make_plan")

_ITEM = re.compile(
    r"^\s{0,12}(?:(?:step\s*)?\(?\d{1,4}[.):]|[-*+\u2022\u2013])\s+(?P<item>\S.*)$",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"^\s{0,12}(?P<item>\([^()\n]{1,400}\)|[\w.-]{1,80}\([^()\n]{0,400}\))\s*[.;,]?\s*$"
)
_BRANCH_WORDS = re.compile(
    r"\b(?:if|when|should|in case|unless)\b[^.\n]{0,80}\b(?:fails?|failed|failure|errors?|unavailable|missing"
    r"|times? out|timeout|invalid|malformed|empty|denied|rejected|not found|goes wrong)\b"
    r"|\b(?:on (?:error|failure|timeout)|fall ?back|otherwise|retry)\b",
    re.IGNORECASE,
)
_ROLLBACK_WORDS = re.compile(
    r"\b(?:roll(?:ed|ing)? ?back|undo|revert|restore|back ?up|can be (?:undone|reversed))\b",
    re.IGNORECASE,
)
_MARK_WORDS = re.compile(
    r"\b(?:destructive|irreversible|reversible|(?:this|a) write(?: step)?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step. `structured`: it came as an object, so that what it does not say is not there.

    `said` is its description, `text` all of it.
    """

    number: int
    id: str
    action: str | None
    said: str
    text: str
    arguments: Sequence[object] | Mapping[str, object] = ()
    depends_on: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    branch: bool = False
    marked: bool = False
    rollback: bool = False
    may_fail: bool | None = None
    structured: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan as far as rules can read it. `prose` is a text in which no list of steps was found."""

    steps: tuple[PlanStep, ...] = ()
    prose: str = ""
    ref: str = "plan"
    too_long: bool = False
    text: str = field(default="", repr=False)

    @property
    def structured(self) -> bool:
        """Whether the steps came as objects."""
        return any(step.structured for step in self.steps)


def plan_of(result: AgentResult) -> Plan | None:
    """The plan before the first tool call: the result's own, a planning step's, or what the agent said; or None."""
    if result.plan is not None and not _empty(result.plan):
        return read_plan(result.plan, "plan")
    before = _before_first_call(result.trace.steps if result.trace else [])
    for index, step in before:
        if step.state_type is not None and fold_name(step.state_type) in _PLAN_STATES:
            given = (step.model_extra or {}).get("plan", step.content)
            if not _empty(given):
                return read_plan(given, f"trace:{index + 1}")
    said = [
        (index, step.content)
        for index, step in before
        if step.content
        and (step.role or "").casefold() in ASSISTANT_ROLES
        and not is_hollow(step.content)
    ]
    for index, text in said:
        plan = read_plan(text, f"trace:{index + 1}")
        if len(plan.steps) > 1:
            return plan
    if not said:
        return None
    text = "\n".join(text for _, text in said)
    return Plan(
        prose=text[:_MAX_TEXT], text=text[:_MAX_TEXT], ref=f"trace:{said[0][0] + 1}"
    )


def _before_first_call(steps: Sequence[TraceStep]) -> list[tuple[int, TraceStep]]:
    found: list[tuple[int, TraceStep]] = []
    for index, step in enumerate(steps):
        if step.tool_name is not None:
            # What an agent says in the same step as its first call stands before the call.
            said = TraceStep(
                role=step.role or "assistant",
                content=step.content,
                state_type=step.state_type,
            )
            return [*found, (index, said)] if step.content else found
        found.append((index, step))
    return found


def _empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def read_plan(value: object, ref: str) -> Plan:
    """A plan of any JSON shape, as steps."""
    mapping = as_mapping(value)
    if mapping is not None:
        inner = next(
            (item for key, item in mapping.items() if fold_name(key) in _STEPS), None
        )
        items = as_sequence(inner)
        if items is not None:
            return _of_items(items, ref)
        return (
            read_plan(inner, ref) if isinstance(inner, str) else _of_items([value], ref)
        )
    items = as_sequence(value)
    if items is not None:
        return _of_items(items, ref)
    text = value if isinstance(value, str) else json_text(value)
    found = list_items(text[:_MAX_TEXT])
    if not found:
        return Plan(prose=text[:_MAX_TEXT], text=text[:_MAX_TEXT], ref=ref)
    plan = _of_items(found, ref)
    return Plan(
        steps=plan.steps, ref=ref, too_long=plan.too_long, text=text[:_MAX_TEXT]
    )


def list_items(text: str) -> list[str]:
    """The items of the list that a text is or holds: numbered, bulleted, or one action in brackets a line."""
    lines = plain(text).splitlines()
    found = [
        match["item"].strip() for line in lines if (match := _ITEM.match(line[:2_000]))
    ]
    return found or [
        match["item"].strip() for line in lines if (match := _BARE.match(line[:600]))
    ]


def _of_items(items: Sequence[object], ref: str) -> Plan:
    kept = [item for item in items[:MAX_STEPS] if not _empty(item)]
    steps = tuple(_step(number, item) for number, item in enumerate(kept, start=1))
    lines = "\n".join(f"{step.number}. {step.text}" for step in steps)
    return Plan(
        steps=steps, ref=ref, too_long=len(items) > MAX_STEPS, text=lines[:_MAX_TEXT]
    )


def _step(number: int, item: object) -> PlanStep:
    given = as_mapping(item)
    if given is None:
        text = item if isinstance(item, str) else json_text(item)
        return PlanStep(
            number=number,
            id=str(number),
            action=None,
            said=text,
            text=text,
            branch=_BRANCH_WORDS.search(text[:5_000]) is not None,
            marked=_MARK_WORDS.search(text[:5_000]) is not None,
            rollback=_ROLLBACK_WORDS.search(text[:5_000]) is not None,
        )
    folded = {fold_name(key): value for key, value in given.items()}
    action = _text(folded, _ACTION)
    words = " ".join(value for value in folded.values() if isinstance(value, str))[
        :5_000
    ]
    may_fail = next(
        (
            value
            for key, value in folded.items()
            if key in _MAY_FAIL and isinstance(value, bool)
        ),
        None,
    )
    return PlanStep(
        number=number,
        id=_text(folded, _ID) or str(number),
        action=action,
        said=_text(folded, _TEXT) or _text(folded, _SAID_AS_NAME) or "",
        text=json_text(dict(given)),
        arguments=_arguments(folded),
        depends_on=_list(folded, _DEPENDS),
        inputs=_list(folded, _INPUTS),
        outputs=_list(folded, _OUTPUTS),
        branch=_given(folded, _BRANCH) or _BRANCH_WORDS.search(words) is not None,
        marked=any(key in _MARK for key in folded)
        or _tagged(folded)
        or _MARK_WORDS.search(words) is not None,
        rollback=_given(folded, _ROLLBACK) or _ROLLBACK_WORDS.search(words) is not None,
        may_fail=may_fail,
        structured=True,
    )


def _text(folded: Mapping[str, object], names: frozenset[str]) -> str | None:
    for key, value in folded.items():
        if (
            key in names
            and isinstance(value, str | int)
            and not isinstance(value, bool)
            and str(value).strip()
        ):
            return str(value).strip()
    return None


def _arguments(folded: Mapping[str, object]) -> Sequence[object] | Mapping[str, object]:
    for key, value in folded.items():
        if key in _ARGUMENTS:
            return as_mapping(value) or as_sequence(value) or ()
    return ()


def _list(folded: Mapping[str, object], names: frozenset[str]) -> tuple[str, ...]:
    return tuple(
        name for key, value in folded.items() if key in names for name in _flat(value)
    )


def _flat(value: object) -> Iterable[str]:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return (str(value).strip(),) if str(value).strip() else ()
    mapping = as_mapping(value)
    items: Iterable[object] = (
        mapping if mapping is not None else as_sequence(value) or ()
    )
    return tuple(
        str(item).strip()
        for item in items
        if isinstance(item, str | int) and str(item).strip()
    )


def _given(folded: Mapping[str, object], names: frozenset[str]) -> bool:
    """Whether one of the keys holds something: `none`, `false` and the like say that there is nothing."""
    return any(
        key in names
        and value is not False
        and not _empty(value)
        and not (isinstance(value, str) and is_hollow(value))
        for key, value in folded.items()
    )


def _tagged(folded: Mapping[str, object]) -> bool:
    return any(fold_name(tag) in _TAG_WORDS for tag in _list(folded, _TAGS))
