"""A result out of plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from pydantic import ValidationError

from judgemesh.contracts.errors import ResultError
from judgemesh.contracts.results import AgentResult

_MAX_PROBLEMS: Final = 3
_REQUIRED: Final = {"result_id", "task_id"}
_MAX_KEYS: Final = 6
_MAX_ID_CHARS: Final = 80
_ONE_A_LINE: Final = "; write each of its elements in a line of its own (`jq -c '.[]'`)"


def to_result(data: AgentResult | Mapping[str, Any]) -> AgentResult:
    """A result from plain data; one that already is a result is returned as it is.

    Raises:
        ResultError: what is wrong, the first few faults in one line.
    """
    if isinstance(data, AgentResult):
        return data
    return validated(tidied_data(data)[0])


def validated(line: dict[str, Any]) -> AgentResult:
    """A result from data whose keys are in their places; raises ResultError with the first few faults in one line."""
    try:
        return AgentResult.model_validate(line)
    except ValidationError as error:
        from judgemesh.mesh.inputs.model_problems import problems_of

        problems = [str(problem) for problem in problems_of(error, AgentResult)]
    message = "; ".join(problems[:_MAX_PROBLEMS])
    if len(problems) > _MAX_PROBLEMS:
        message += f"; and {len(problems) - _MAX_PROBLEMS} more"
    if not line.keys() >= _REQUIRED:
        message += _other_keys(line)
    result_id = line.get("result_id")
    if isinstance(result_id, str) and result_id:
        message += f" (result_id {result_id[:_MAX_ID_CHARS]!r})"
    raise ResultError(message)


def _other_keys(line: Mapping[str, Any]) -> str:
    """The keys that no result has, one of which may hold what is missing; empty where there are none."""
    names = [name for name in line if name not in AgentResult.model_fields]
    shown_names = ", ".join(repr(name[:_MAX_ID_CHARS]) for name in names[:_MAX_KEYS])
    more = f" and {len(names) - _MAX_KEYS} more" if len(names) > _MAX_KEYS else ""
    return f" (other keys: {shown_names}{more})" if names else ""


def tidied_data(data: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Plain data with every key in its place, and notes about where they were."""
    if not isinstance(data, dict):
        from judgemesh.mesh.inputs.model_problems import shown

        got = shown(data)
        split = _ONE_A_LINE if isinstance(data, list) else ""
        raise ResultError(
            f"expected an object with `result_id` and `task_id`, got {got}{split}"
        )
    from judgemesh.mesh.inputs.intake import tidied

    return tidied(cast("Mapping[str, Any]", data))
