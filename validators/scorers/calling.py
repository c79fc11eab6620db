"""How a scorer of each library is called, and what its reply means. Nothing of them is imported before it is named."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, cast

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.validator import Case
from judgemesh.validators.scorers.options import ScorerOptions


@dataclass(frozen=True, slots=True)
class Scored:
    """What a scorer said. `score` is None where it gave none in 0..1; cost and tokens where it tells them."""

    score: float | None
    reason: str = ""
    cost_usd: float | None = None
    tokens: int | None = None


Family = Callable[[Any, ScorerOptions, "Texts"], Awaitable[Scored]]


@dataclass(frozen=True, slots=True)
class Texts:
    """What a scorer is shown of a result."""

    question: str
    answer: str
    expected: Any
    context: tuple[str, ...]

    @staticmethod
    def of(case: Case, options: ScorerOptions) -> Texts:
        """The user's first turn, the final answer, and what the contract states."""
        steps: list[TraceStep] = case.result.trace.steps if case.result.trace else []
        turns = (step.content for step in steps if step.role in ("user", "human"))
        asked = case.contract.input.get("instruction", "")
        return Texts(
            question=next((turn for turn in turns if turn), str(asked)),
            answer=case.result.output.final_answer or "",
            expected=options.expected,
            context=options.context,
        )


def named(use: str) -> Any:
    """What `module:name` names.

    Raises:
        ImportError, AttributeError: the library is not installed, or has no such name.
    """
    module, _, name = use.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


async def call(scorer: Any, options: ScorerOptions, case: Case) -> Scored:
    """Call a scorer the way its library wants it."""
    ready: Any = scorer(**options.init) if inspect.isclass(scorer) else scorer
    roots = {base.__module__.partition(".")[0] for base in type(ready).__mro__}
    family = next((_FAMILIES[root] for root in _FAMILIES if root in roots), _plain)
    return await family(ready, options, Texts.of(case, options))


async def _autoevals(scorer: Any, options: ScorerOptions, texts: Texts) -> Scored:
    given = {
        "input": texts.question,
        "context": "\n".join(texts.context),
        **options.args,
    }
    reply = await scorer.eval_async(
        output=texts.answer, expected=texts.expected, **_some(given)
    )
    metadata: Mapping[str, Any] = reply.metadata or {}
    error = getattr(reply, "error", None)
    reason = str(error or metadata.get("rationale") or "")
    return Scored(None if error else _score(reply.score), reason)


async def _ragas(metric: Any, options: ScorerOptions, texts: Texts) -> Scored:
    given = {
        "user_input": texts.question,
        "response": texts.answer,
        "reference": texts.expected,
        "retrieved_contexts": list(texts.context) or None,
        **options.args,
    }
    if hasattr(metric, "single_turn_ascore"):
        sample = named("ragas.dataset_schema:SingleTurnSample")(**_some(given))
        return Scored(_score(await metric.single_turn_ascore(sample)))
    wanted = inspect.signature(metric.ascore).parameters
    reply = await metric.ascore(
        **{key: held for key, held in given.items() if key in wanted}
    )
    return Scored(_score(reply.value), str(reply.reason or ""))


async def _deepeval(metric: Any, options: ScorerOptions, texts: Texts) -> Scored:
    case = named("deepeval.test_case:LLMTestCase")(
        input=texts.question,
        actual_output=texts.answer,
        expected_output=texts.expected,
        retrieval_context=list(texts.context) or None,
        **options.args,
    )
    score = await metric.a_measure(case, _show_indicator=False)
    if metric.error:
        raise RuntimeError(metric.error)
    read = _score(metric.score if score is None else score)
    return Scored(read, metric.reason or "", metric.evaluation_cost, _tokens(metric))


async def _guardrails(check: Any, options: ScorerOptions, texts: Texts) -> Scored:
    reply = await asyncio.to_thread(check.validate, texts.answer, dict(options.args))
    passed = reply.outcome == "pass"
    return Scored(float(passed), str(getattr(reply, "error_message", "") or ""))


async def _plain(function: Any, options: ScorerOptions, texts: Texts) -> Scored:
    """A callable: it gets those of `question`, `answer`, `expected`, `context` and `args` that it has names for."""
    given: dict[str, Any] = {
        "question": texts.question,
        "answer": texts.answer,
        "expected": texts.expected,
        "context": texts.context,
        **options.args,
    }
    parameters = inspect.signature(function).parameters.values()
    if not any(one.kind is one.VAR_KEYWORD for one in parameters):
        names = {one.name for one in parameters}
        given = {key: held for key, held in given.items() if key in names}
    if inspect.iscoroutinefunction(function):
        reply: Any = await function(**given)
    else:
        reply = await asyncio.to_thread(function, **given)
    if isinstance(reply, Mapping):
        fields = cast("Mapping[str, Any]", reply)
        reason = str(fields.get("reason") or fields.get("comment") or "")
        return Scored(_score(fields.get("score")), reason, fields.get("cost"))
    return Scored(_score(reply))


_FAMILIES: Final[dict[str, Family]] = {
    "autoevals": _autoevals,
    "ragas": _ragas,
    "deepeval": _deepeval,
    "guardrails": _guardrails,
}
"""How the scorers of each library are called, by the module that their classes come from."""


def _some(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that have a value."""
    return {key: held for key, held in given.items() if held not in (None, "")}


def _score(value: Any) -> float | None:
    """A score in 0..1; true and false are 1 and 0. Anything else is none."""
    if isinstance(value, bool):
        return float(value)
    try:
        score = float(value)
    except (TypeError, ValueError):
        return None
    return score if math.isfinite(score) and 0.0 <= score <= 1.0 else None


def _tokens(metric: Any) -> int | None:
    counts = [
        getattr(metric, "input_tokens", None),
        getattr(metric, "output_tokens", None),
    ]
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if known else None
