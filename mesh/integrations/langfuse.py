"""Langfuse: an evaluator for `langfuse.run_experiment`.

    langfuse.run_experiment(name="refunds", data=items, task=agent, evaluators=[judgemesh_evaluator(task="refund")])

A decided gate is the boolean score `judgemesh`. An undecided gate has no such score, so that no average holds it; the
categorical score `judgemesh_gate` has all three, with the whole report as metadata.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session

if TYPE_CHECKING:
    # Langfuse is not in this project's environment; what is used of it is Any.
    Evaluation: Any
else:
    from langfuse import Evaluation


def judgemesh_evaluator(
    task: str | None = None, **settings: Any
) -> Callable[..., list[Any]]:
    """An evaluator that grades each item against its contract.

    Args:
        task: the task id of the contract; else `task_id` of the item's metadata, expected output or input, else the
            only contract. `id` of the item's metadata names the result.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    def judgemesh(
        *,
        input: Any = None,  # noqa: A002 (Langfuse's name)
        output: Any = None,
        expected_output: Any = None,
        metadata: Any = None,
        **_: Any,
    ) -> list[Any]:
        name = (metadata or {}).get("id")
        data = sample_result(
            output,
            result_id=None if name is None else str(name),
            task=task,
            known=[metadata, expected_output, input],
        )
        graded = session("langfuse", **settings).grade(data)
        shown = {"comment": graded.reason, "metadata": graded.facts()}
        gate = Evaluation(
            name=f"{NAME}_gate", value=graded.gate, data_type="CATEGORICAL", **shown
        )
        if graded.passed is None:
            return [gate]
        passed = Evaluation(
            name=NAME, value=graded.passed, data_type="BOOLEAN", **shown
        )
        return [passed, gate]

    return judgemesh
