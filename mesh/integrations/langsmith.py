"""LangSmith and openevals: a callable for `langsmith.evaluate`, in the form of openevals' evaluators.

    client.evaluate(agent, data="dataset", evaluators=[judgemesh_evaluator(task="refund")])

It returns `{key, score, value, comment, metadata}`. The score of an undecided gate is None, which no average holds.
Nothing of LangSmith is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session


def judgemesh_evaluator(
    task: str | None = None, **settings: Any
) -> Callable[..., dict[str, Any]]:
    """An evaluator that grades each run against its contract.

    Args:
        task: the task id of the contract; else `task_id` of the reference outputs, the example's metadata or the
            inputs, else the only contract.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    def judgemesh(
        inputs: Any = None,
        outputs: Any = None,
        reference_outputs: Any = None,
        run: Any = None,
        example: Any = None,
    ) -> dict[str, Any]:
        metadata = getattr(example, "metadata", None)
        data = sample_result(
            outputs,
            result_id=_text(getattr(run, "id", None)),
            task=task,
            known=[reference_outputs, metadata, inputs],
            trace_id=_text(getattr(run, "trace_id", None)),
        )
        experiment = _text(getattr(run, "session_id", None))
        graded = session("langsmith", experiment, **settings).grade(data)
        return {
            "key": NAME,
            "score": graded.score,
            "value": graded.gate,
            "comment": graded.reason,
            "metadata": graded.facts(),
        }

    return judgemesh


def _text(value: object) -> str | None:
    return None if value is None else str(value)
