"""Notes about keys in other places than the specified ones, for lines that are not read again."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.inputs.intake import notes_of, tidied

_VALUES = st.one_of(st.none(), st.text(max_size=3), st.integers(), st.just([{}]))
_OUTPUTS = st.one_of(
    _VALUES,
    st.dictionaries(
        st.sampled_from(["final_answer", "finalAnswer", "outputs", "claims", "other"]),
        _VALUES,
        max_size=3,
    ),
)
_LINES = st.fixed_dictionaries(
    {},
    optional={
        "result_id": st.sampled_from(["r", 7, None]),
        "id": st.just("r"),
        "task_id": st.sampled_from(["t", 7]),
        "taskId": st.just("t"),
        "status": st.sampled_from(["completed", "success", "", None, 5]),
        "output": _OUTPUTS,
        "answer": st.sampled_from(["yes", 5, {}]),
        "duration_s": st.sampled_from([5, "5"]),
        "messages": st.just([]),
        "metadata": st.sampled_from([None, {}]),
    },
)


@given(_LINES)
def test_the_notes_of_a_line_are_those_of_moving_its_keys(line: dict[str, Any]) -> None:
    assert notes_of(line) == tidied(line)[1]
