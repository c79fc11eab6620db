"""Arize Phoenix: the evaluator `JudgeMeshEvaluator`, for `phoenix.evals.evaluate_dataframe` and experiments.

    evaluate_dataframe(frame, [JudgeMeshEvaluator(task="refund")])

The score of an undecided gate is None, with the label `undecided`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session

if TYPE_CHECKING:
    # Phoenix is not in this project's environment; what is used of it is declared here.
    Score: Any

    class Evaluator:
        """The base class of evaluators."""

        def __init__(
            self,
            *,
            name: str,
            kind: str,
            direction: str,
            input_schema: type[BaseModel],
        ) -> None: ...
else:
    from phoenix.evals import Evaluator, Score


class Row(BaseModel):
    """The columns that are read; all are optional, and others are kept."""

    model_config = ConfigDict(extra="allow")

    output: Any = None
    messages: Any = None
    result_id: Any = None
    id: Any = None
    task_id: Any = None
    input: Any = None
    metadata: Any = None
    judgemesh: Any = None


class JudgeMeshEvaluator(Evaluator):
    """The hard gate: 1 `pass`, 0 `fail`, None `undecided`. It reads the columns `output`, `id`, `messages`, `metadata`.

    Args:
        task: the task id of the contract; else `task_id` of the row or its metadata, else the only contract.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    def __init__(self, task: str | None = None, **settings: Any) -> None:
        super().__init__(name=NAME, kind="code", direction="maximize", input_schema=Row)
        self.task = task
        self.settings = settings

    def _evaluate(self, eval_input: Any) -> list[Any]:
        # Phoenix fills columns that the frame lacks with None.
        name = eval_input.get("result_id")
        if name is None:
            name = eval_input.get("id")
        known = [eval_input.get("metadata"), eval_input.get("input"), eval_input]
        data = sample_result(
            eval_input.get("output"),
            result_id=None if name is None else str(name),
            task=self.task,
            messages=eval_input.get("messages"),
            known=known,
        )
        graded = session("phoenix", **self.settings).grade(data)
        return [
            Score(
                name=NAME,
                score=graded.score,
                label=graded.gate,
                explanation=graded.reason,
                metadata=graded.facts(),
                kind="code",
                direction="maximize",
            )
        ]
