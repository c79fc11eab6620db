"""What a person needs to answer an exported question: the answer, the outputs and the trace of the graded result."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.results import Accepted, read_results

_MAX_CHARS: Final = 20_000
_MAX_RESULT_CHARS: Final = 1_000


def shown_of(
    files: Sequence[Path], result_ids: Collection[str]
) -> dict[str, dict[str, str]]:
    """The texts to show for each of the results, by result id; long ones are cut and say so.

    Raises:
        ConfigError: a file does not exist.
    """
    shown: dict[str, dict[str, str]] = {}
    for file in files:
        if not file.is_file():
            raise ConfigError(
                "no such file", where=str(file), hint="--results names graded results"
            )
        for line in read_results(file):
            if isinstance(line, Accepted) and line.result.result_id in result_ids:
                shown[line.result.result_id] = _shown(line.result)
    return shown


def _shown(result: AgentResult) -> dict[str, str]:
    outputs = result.output.outputs
    steps = [] if result.trace is None else result.trace.steps
    return {
        "answer": _cut(result.output.final_answer or "", _MAX_CHARS),
        "outputs": _cut(_json(outputs), _MAX_CHARS) if outputs else "",
        "trace": _cut("\n".join(_lines(steps)), _MAX_CHARS),
    }


def _lines(steps: Sequence[TraceStep]) -> Iterator[str]:
    """One line for each utterance and each call."""
    for step in steps:
        if step.tool_name:
            arguments = step.arguments_text or _json(step.arguments)
            result = _cut(_json(step.result), _MAX_RESULT_CHARS)
            failed = f" failed: {step.error}" if step.error else ""
            yield f"{step.tool_name}({arguments}) -> {result}{failed}"
        elif step.content:
            yield f"{step.role or step.state_type or 'step'}: {step.content}"


def _json(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str, limit: int) -> str:
    """The text, or its beginning and how much is left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... ({len(text) - limit} more characters)"
