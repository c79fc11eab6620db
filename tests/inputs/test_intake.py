"""Notes about keys in other places than the specified ones, for lines that are not read again."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.inputs.intake import notes_of, tidied

Strategy = st.SearchStrategy[Any]


def _one_of(*values: Any) -> Strategy:
    return st.sampled_from(list[Any](values))


_VALUES = _one_of(None, "", "text", 7, 0, [{}], {})
_OUTPUT_KEYS = ("final_answer", "finalAnswer", "outputs", "claims", "other")
_OUTPUTS: Strategy = st.one_of(
    _VALUES, st.dictionaries(st.sampled_from(_OUTPUT_KEYS), _VALUES, max_size=3)
)
_FIELDS: dict[str, Strategy] = {
    "result_id": _one_of("r", 7, None),
    "id": _one_of("r"),
    "task_id": _one_of("t", 7),
    "taskId": _one_of("t"),
    "status": _one_of("completed", "success", "", None, 5),
    "output": _OUTPUTS,
    "answer": _one_of("yes", 5, {}),
    "duration_s": _one_of(5, "5"),
    "messages": _one_of([]),
    "metadata": _one_of(None, {}),
}
_LINES: Strategy = st.fixed_dictionaries({}, optional=_FIELDS)


@given(_LINES)
def test_the_notes_of_a_line_are_those_of_moving_its_keys(line: dict[str, Any]) -> None:
    assert notes_of(line) == tidied(line)[1]
