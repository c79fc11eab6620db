"""Langfuse: an evaluator for `langfuse.run_experiment`.

    langfuse.run_experiment(name="refunds", data=items, task=agent, evaluators=[judgemesh_evaluator(task="refund")])

A decided gate is the boolean score `judgemesh`. An undecided gate has no such score, so that no average holds it; the
categorical score `judgemesh_gate` has all three, with the whole report as metadata.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from judgemesh.mesh.integrations.samples import NAME, sample_result
from judgemesh.mesh.integrations.session import session


def judgemesh_evaluator(
    task: str | None = None, **settings: Any
) -> Callable[..., list[Any]]:
    """An evaluator that grades each item against its contract.

    Args:
        task: the task id of the contract; else `task_id` of the item's metadata, expected output or input, else the
            only contract. `id` of the item's metadata names the result.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """
    # Langfuse is not in this project's environment; what is used of it is Any.
    evaluation: Any = import_module("langfuse").Evaluation

    def judgemesh(
        *,
        input: Any = None,  # noqa: A002 (Langfuse's name)
        output: Any = None,
        expected_output: Any = None,
        metadata: Any = None,
        **_: Any,
    ) -> list[Any]:
        stated: dict[str, Any] = metadata or {}
        name = stated.get("id")
        data = sample_result(
            output,
            result_id=None if name is None else str(name),
            task=task,
            known=[metadata, expected_output, input],
        )
        graded = session("langfuse", **settings).grade(data)
        shown = {"comment": graded.reason, "metadata": graded.facts()}
        gate = evaluation(
            name=f"{NAME}_gate", value=graded.gate, data_type="CATEGORICAL", **shown
        )
        if graded.passed is None:
            return [gate]
        passed = evaluation(
            name=NAME, value=graded.passed, data_type="BOOLEAN", **shown
        )
        return [passed, gate]

    return judgemesh
