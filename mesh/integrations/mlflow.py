"""MLflow: a scorer for `mlflow.genai.evaluate`.

    mlflow.genai.evaluate(data=data, scorers=[judgemesh_scorer(task="refund")])

The feedback `judgemesh` is true or false; where the gate is undecided it holds an error and no value, which MLflow
leaves out of its metrics. The feedback `judgemesh_gate` holds the gate and the whole report as metadata.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session

if TYPE_CHECKING:
    # MLflow is not in this project's environment; what is used of it is Any.
    AssessmentError: Any
    Feedback: Any
    active_run: Any
    scorer: Any
else:
    from mlflow import active_run
    from mlflow.entities import AssessmentError, Feedback
    from mlflow.genai import scorer


def judgemesh_scorer(task: str | None = None, **settings: Any) -> Any:
    """A scorer that grades each row against its contract.

    Args:
        task: the task id of the contract; else `task_id` of the inputs or expectations, else the only contract.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    def judgemesh(
        inputs: Any = None, outputs: Any = None, expectations: Any = None, trace: Any = None
    ) -> list[Any]:
        traced = None if trace is None else trace.info.trace_id
        data = sample_result(
            outputs,
            result_id=_name_of(inputs) or traced,
            task=task,
            known=[expectations, inputs],
            trace_id=traced,
        )
        run = active_run()
        run_id = None if run is None else run.info.run_id
        graded = session("mlflow", run_id, **settings).grade(data)
        facts = {key: json.dumps(held) for key, held in graded.facts().items()}
        gate = Feedback(
            name=f"{NAME}_gate",
            value=graded.gate,
            rationale=graded.reason,
            metadata=facts,
        )
        if graded.passed is not None:
            value = Feedback(name=NAME, value=graded.passed, rationale=graded.reason)
            return [value, gate]
        code = "EVALUATOR_FAULT" if graded.broken else "UNDECIDED"
        error = AssessmentError(error_code=code, error_message=graded.reason)
        return [Feedback(name=NAME, error=error, rationale=graded.reason), gate]

    return scorer(judgemesh, name=NAME)


def _name_of(inputs: Any) -> str | None:
    """The sample's own name: `id` or `result_id` of its inputs."""
    if not isinstance(inputs, dict):
        return None
    for key in ("result_id", "id"):
        if isinstance(inputs.get(key), str | int):  # pyright: ignore[reportUnknownMemberType] (inputs of anyone)
            return str(inputs[key])  # pyright: ignore[reportUnknownArgumentType] (as above)
    return None
