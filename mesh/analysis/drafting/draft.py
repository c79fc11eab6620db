"""The first contract, drafted from what results show: YAML with a comment on everything that a person has to review.

What all of enough runs show becomes a rule. What was seen too seldom stands in a comment. Rules that the seen runs keep
because they were drafted from them say so: they guard later runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from judgemesh.mesh.analysis.drafting.observed import Seen

_ENOUGH_RUNS: Final = 3
_MAX_FIELDS: Final = 5
_MAX_TOOLS: Final = 60
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHAPES: Final = (("[0-9]+", r"\\d+"), ("[A-Z]+", "[A-Z]+"), ("[a-z]+", "[a-z]+"))
_RISKY: Final = re.compile(
    r"(?:^|[_\W])(cancel|delete|drop|erase|overwrite|pay|purge|refund|remove|transfer|wipe)",
    re.IGNORECASE,
)
QUESTION: Final = "Does the final answer give what the user asked for, and claim nothing that the trace does not show?"


def draft_contract(task_id: str, seen: Seen, *, judged: bool) -> str:
    """The text of a contract file.

    Args:
        task_id: of the results.
        seen: what the results show.
        judged: whether there is a judge, so that the question to it counts; otherwise it stands in a comment.
    """
    lines = [
        f"# Drafted by `judgemesh init` from {_runs(seen.runs)}. It is a proposal: what is marked",
        "# REVIEW rests on what these runs happen to show.",
        "",
        f"task_id: {_quoted(task_id)}",
        'version: "1"',
        "",
        *_criteria(seen),
        *_fields(seen),
        *_procedure(seen),
        *_question(judged=judged),
    ]
    return "\n".join(lines) + "\n"


def _criteria(seen: Seen) -> Iterator[str]:
    """What an answer needs."""
    yield "success_criteria:"
    yield f"  required_outputs: [final_answer]  # {seen.answered} of {_runs(seen.runs)} end with an answer"
    if seen.tools or seen.unread:
        yield "  # A tool call that failed and that no later call of the same tool made good fails the run."
        yield "  must_not_include: [TOOL_FAILURE, TOOL_TIMEOUT]"
    required = [name for name, _ in _required(seen)]
    if required:
        yield "  # REVIEW: every answer so far states these. Must every answer?"
        yield f"  must_include: [{', '.join(required)}]"
    for name, values in _seldom(seen, required):
        yield (
            f"  # REVIEW: {_runs(len(values))} of {seen.runs} stated `{name}` ({_shown(values)})."
            " If every answer must:"
        )
        yield f"  # must_include: [{name}]"
    yield ""


def _fields(seen: Seen) -> Iterator[str]:
    """How the required fields are found."""
    required = _required(seen)
    if not required:
        return
    yield "fields:"
    for name, values in required:
        pattern = _pattern(values)
        if pattern is None:
            yield f"  {name}: {{}}"
        else:
            yield f"  {name}: {{pattern: {_quoted(pattern)}}}  # such as {_shown(values)}"
    yield ""


def _required(seen: Seen) -> list[tuple[str, Sequence[str]]]:
    """The fields that all of enough answers state, with the values seen."""
    if seen.answered < _ENOUGH_RUNS:
        return []
    found: list[tuple[str, Sequence[str]]] = []
    for name, count in sorted(seen.keys.items()):
        if count == seen.answered:
            found.append((name, ()))
    for name, values in sorted(seen.identifiers.items()):
        if len(values) == seen.answered and name not in seen.keys:
            found.append((name, values))
    return found[:_MAX_FIELDS]


def _seldom(seen: Seen, required: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    """Fields that some answers state, the most frequent first."""
    some = [item for item in seen.identifiers.items() if item[0] not in required]
    some.sort(key=lambda item: (-len(item[1]), item[0]))
    return [(name, values) for name, values in some[:_MAX_FIELDS]]


def _procedure(seen: Seen) -> Iterator[str]:
    """What the agent may use."""
    yield "sop:"
    if seen.tools:
        yield "  permissions:"
        yield f"    # REVIEW: the tools of {_runs(seen.runs)}. Any other tool fails a later run."
        yield "    tools:"
        for tool, count in sorted(seen.tools.items())[:_MAX_TOOLS]:
            note = f"in {count} of {_runs(seen.runs)}"
            if _RISKY.search(tool):
                note += "; REVIEW: changes what cannot be changed back?"
            yield f"      - {_quoted(tool)}  # {note}"
        yield "  # REVIEW: what must never be called, by name or with `*`. Such a call fails the run."
        yield "  # forbidden_tools: [delete_*]"
        always = [
            tool for tool, count in sorted(seen.tools.items()) if count == seen.runs
        ]
        if always:
            names = ", ".join(_quoted(tool) for tool in always[:_MAX_FIELDS])
            yield "  # REVIEW: every run called these. If none may do without:"
            yield f"  # required_tools: [{names}]"
    yield "  rules:"
    yield "    - id: no_failed_call             # a failed call lowers the methodology score, even if it was repeated"
    yield "      template: absence"
    yield '      activity: {tool: "*", succeeded: false}'
    yield "      gate: false"
    yield "  limits:"
    yield f"    calls: {max(10, 2 * seen.calls)}  # REVIEW: the longest run made {seen.calls}"
    yield f"    repeats: {max(3, seen.repeats)}  # the same call in a row; at most {max(seen.repeats, 1)} so far"
    yield ""


def _question(*, judged: bool) -> Iterator[str]:
    """One question to a judge."""
    lines = (
        "criteria:",
        "  - id: request_met",
        f"    question: {_quoted(QUESTION)}",
        "    materials: [trace, final_answer]",
        "    gate: true",
    )
    if judged:
        yield "# REVIEW: the question to the judge. A narrow question is answered more reliably than a broad one."
        yield from lines
        return
    yield "# Nothing above says whether the answer is right. A judge can: remove the five `# ` below and add"
    yield "# --judge MODEL (such as openai/gpt-4.1-mini, with its API key in the environment)."
    for line in lines:
        yield f"# {line}"


def _pattern(values: Sequence[str]) -> str | None:
    """A pattern of the values' common shape; None where they have several shapes."""
    shapes = {_shape(value) for value in values}
    return rf"\b{shapes.pop()}\b" if len(shapes) == 1 else None


def _shape(value: str) -> str:
    """Digits, capitals and small letters by their kind, everything else as it is."""
    parts: list[str] = []
    for part in re.findall("[0-9]+|[A-Z]+|[a-z]+|.", value):
        kind = next(
            (shape for found, shape in _SHAPES if re.fullmatch(found, part)), None
        )
        parts.append(re.escape(part) if kind is None else kind.replace("\\\\", "\\"))
    return "".join(parts)


def _shown(values: Sequence[str]) -> str:
    """Some of the values, for a comment."""
    distinct = list(dict.fromkeys(values))
    more = ", ..." if len(distinct) > 2 else ""
    return ", ".join(distinct[:2]) + more


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _quoted(text: str) -> str:
    """A text as YAML: bare where that is safe, else as a JSON string, which YAML reads the same way."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
