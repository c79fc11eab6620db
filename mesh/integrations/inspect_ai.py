"""Inspect AI: the scorer `judgemesh/judgemesh`, for tasks and for `inspect score LOG --scorer judgemesh/judgemesh`.

An undecided gate is unscored (NaN, which Inspect leaves out of every metric and counts as unscored), never 0. The codes
of the scored samples are metrics; the whole report without its verdicts is the metadata of each score.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from judgemesh.mesh.integrations.samples import sample_result
from judgemesh.mesh.integrations.session import close_all, session

T = TypeVar("T")

if TYPE_CHECKING:
    # Inspect is not in this project's environment; what is used of it is declared here.
    Score: Any

    def mean() -> Any:
        """Inspect's mean."""
        ...

    def stderr() -> Any:
        """Inspect's standard error."""
        ...

    def metric(function: T) -> T:
        """Register a metric."""
        ...

    def scorer(*, metrics: list[Any], name: str) -> Callable[[T], T]:
        """Register a scorer."""
        ...

    def hooks(*, name: str, description: str) -> Callable[[T], T]:
        """Register hooks."""
        ...

    class Hooks:
        """Inspect's base class of hooks."""
else:
    from inspect_ai.hooks import Hooks, hooks
    from inspect_ai.scorer import Score, mean, metric, scorer, stderr

_HARNESS: Final = "inspect"
_run: dict[str, str] = {}
"""The id of Inspect's run that is in progress; empty for `inspect score`."""


@hooks(name="judgemesh", description="One run in judgemesh's ledger for each run.")
class RunHooks(Hooks):
    """Inspect's run is the ledger's run."""

    async def on_run_start(self, data: Any) -> None:
        """Note the id of the run."""
        _run["id"] = data.run_id

    async def on_run_end(self, data: Any) -> None:  # noqa: ARG002 (Inspect's signature)
        """Close what the run has opened."""
        _run.clear()
        close_all()


@metric
def failure_codes() -> Callable[[list[Any]], dict[str, float]]:
    """The share of the scored samples that carry each failure code."""

    def measure(scores: list[Any]) -> dict[str, float]:
        counts: dict[str, float] = {}
        for sample in scores:
            facts: dict[str, Any] = sample.score.metadata or {}
            for code in facts.get("failure_reason_codes", ()):
                counts[code] = counts.get(code, 0.0) + 1 / len(scores)
        return counts

    return measure


@scorer(metrics=[mean(), stderr(), failure_codes()], name="judgemesh")
def judgemesh(
    task: str | None = None, **settings: Any
) -> Callable[[Any, Any], Awaitable[Any]]:
    """The hard gate: 1 pass, 0 fail, unscored where it is undecided.

    Args:
        task: the task id of the contract; else `task_id` of the sample's metadata, else the only contract.
        settings: those of `MeshConfig`, and `config`, a TOML file.
    """

    async def score(state: Any, target: Any) -> Any:  # noqa: ARG001 (Inspect's signature)
        epoch = f"/{state.epoch}" if state.epoch > 1 else ""
        data = sample_result(
            None,
            result_id=f"{state.sample_id}{epoch}",
            task=task,
            messages=state.messages,
            known=[state.metadata],
            answer=state.output.completion,
            trace_id=state.uuid,
            agent_model=str(state.model),
        )
        graded = await session(_HARNESS, _run.get("id"), **settings).agrade(data)
        shown = {
            "answer": state.output.completion,
            "explanation": graded.reason,
            "metadata": graded.facts(),
        }
        if graded.score is None:
            reason = "evaluator_fault" if graded.broken else "undecided"
            return Score.unscored(reason=reason, **shown)
        return Score(value=graded.score, **shown)

    return score
