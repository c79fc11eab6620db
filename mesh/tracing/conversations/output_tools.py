"""Answers that an agent gives through a tool of its framework: the structured output of PydanticAI. Pure."""

from __future__ import annotations

import json
from typing import Final

from judgemesh.contracts.transcripts.keys import fold
from judgemesh.mesh.tracing.spans.json_values import JsonObject, object_of

_OUTPUT_TOOL: Final = "finalresult"
_TAKEN: Final = "Final result processed."
"""What the framework gives back for the output that it took."""


def output_of(steps: list[JsonObject]) -> str | None:
    """What the output tool was given that was taken as the answer; None where there is no such call.

    The tool is `final_result`, or `final_result_TYPE`. A value that is no object stands under `response`.
    """
    for step in reversed(steps):
        if step.get("role") == "user":
            return None
        name = fold(str(step.get("tool_name") or ""))
        if name.startswith(_OUTPUT_TOOL) and step.get("result") == _TAKEN:
            return _text_of(object_of(step.get("arguments")))
    return None


def _text_of(arguments: JsonObject) -> str | None:
    value = arguments["response"] if set(arguments) == {"response"} else arguments
    if isinstance(value, str):
        return value or None
    return json.dumps(value, ensure_ascii=False) if value else None
