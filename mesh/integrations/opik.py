"""Opik: the metric `JudgeMeshMetric`.

    evaluate(dataset=dataset, task=agent, scoring_metrics=[JudgeMeshMetric(task="refund")])

The score of an undecided gate is marked as failed scoring, which Opik leaves out of its statistics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session

if TYPE_CHECKING:
    # Opik is not in this project's environment; what is used of it is declared here.
    ScoreResult: Any

    class BaseMetric:
        """The base class of metrics."""

        def __init__(self, name: str, track: bool) -> None: ...  # noqa: FBT001 (Opik's signature)
else:
    from opik.evaluation.metrics.base_metric import BaseMetric
    from opik.evaluation.metrics.score_result import ScoreResult


class JudgeMeshMetric(BaseMetric):
    """The hard gate: 1 pass, 0 fail, failed scoring where it is undecided.

    Args:
        task: the task id of the contract; else `task_id` of the item, else the only contract. `result_id` of the item
            names the result.
        track: whether Opik traces the grading too.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    def __init__(
        self, task: str | None = None, *, track: bool = False, **settings: Any
    ) -> None:
        super().__init__(name=NAME, track=track)
        self.task = task
        self.settings = settings

    def score(self, output: Any = None, **item: Any) -> Any:
        """Grade one item; `item` holds its other fields."""
        name = item.get("result_id", item.get("id"))
        messages = item.get("messages")
        data = sample_result(
            output,
            result_id=None if name is None else str(name),
            task=self.task,
            messages=messages,
            known=[item],
        )
        graded = session("opik", **self.settings).grade(data)
        return ScoreResult(
            name=NAME,
            value=0.0 if graded.score is None else graded.score,
            reason=graded.reason,
            category_name=graded.gate,
            metadata=graded.facts(),
            scoring_failed=graded.score is None,
        )
