"""MLflow: a scorer for `mlflow.genai.evaluate`.

    mlflow.genai.evaluate(data=data, scorers=[judgemesh_scorer(task="refund")])

The feedback `judgemesh` is true or false; where the gate is undecided it holds an error and no value, which MLflow
leaves out of its metrics. The feedback `judgemesh_gate` holds the gate and the whole report as metadata.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any, cast

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session


def judgemesh_scorer(task: str | None = None, **settings: Any) -> Any:
    """A scorer that grades each row against its contract.

    Args:
        task: the task id of the contract; else `task_id` of the inputs or expectations, else the only contract.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """
    # MLflow is not in this project's environment; what is used of it is Any.
    active_run: Any = import_module("mlflow").active_run
    entities: Any = import_module("mlflow.entities")
    scorer: Any = import_module("mlflow.genai").scorer

    def judgemesh(
        inputs: Any = None,
        outputs: Any = None,
        expectations: Any = None,
        trace: Any = None,
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
        gate = entities.Feedback(
            name=f"{NAME}_gate",
            value=graded.gate,
            rationale=graded.reason,
            metadata=facts,
        )
        if graded.passed is not None:
            value = entities.Feedback(
                name=NAME, value=graded.passed, rationale=graded.reason
            )
            return [value, gate]
        code = "EVALUATOR_FAULT" if graded.broken else "UNDECIDED"
        error = entities.AssessmentError(error_code=code, error_message=graded.reason)
        return [
            entities.Feedback(name=NAME, error=error, rationale=graded.reason),
            gate,
        ]

    return scorer(judgemesh, name=NAME)


def _name_of(inputs: Any) -> str | None:
    """The sample's own name: `id` or `result_id` of its inputs."""
    if not isinstance(inputs, dict):
        return None
    stated = cast("dict[str, Any]", inputs)
    name = stated.get("result_id", stated.get("id"))
    return None if name is None else str(name)
