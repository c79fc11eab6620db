"""Scorers that a contract names: called one by one, each score compared with its threshold."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, cast

from judgemesh.contracts.validator import Case, Outcome
from judgemesh.contracts.verdicts import (
    Error,
    Fail,
    Pass,
    Reason,
    Verdict,
    not_configured,
)
from judgemesh.validators.scorers.calling import Scored, call, named
from judgemesh.validators.scorers.options import ScorerOptions, options_of

_MAX_CHARS: Final = 500


async def check_scorers(case: Case) -> Outcome:
    """Call each scorer that the contract names."""
    configured = case.args.get("scorers")
    if not isinstance(configured, list) or not configured:
        return not_configured("scorers", "args.scorers: expected a list of scorers")
    verdicts: list[Verdict] = []
    for position, entry in enumerate(cast("list[Any]", configured)):
        options = options_of(entry, position)
        if isinstance(options, str):
            verdicts.append(
                Error(check=f"scorer:{position}", diagnostic=options, gating=True)
            )
        else:
            verdicts.append(await _verdict(case, options))
    return verdicts


async def _verdict(case: Case, options: ScorerOptions) -> Verdict:
    """The verdict of one scorer."""
    check = f"scorer:{options.id}"
    try:
        scored = await call(named(options.use), options, case)
    except Exception as error:  # noqa: BLE001 (whatever a foreign scorer raises is an evaluator's fault)
        message = " ".join(f"{type(error).__name__}: {error}".split())
        return Error(
            check=check,
            reason=Reason.EXCEPTION,
            diagnostic=f"{options.use} raised {message:.{_MAX_CHARS}}",
            gating=options.gating,
            metric=options.metric,
        )
    if scored.score is None:
        return Error(
            check=check,
            reason=Reason.NO_VERDICT,
            diagnostic=f"{options.use} gave no score between 0 and 1: {scored.reason:.{_MAX_CHARS}}",
            gating=options.gating,
            metric=options.metric,
            details=_details(scored),
        )
    text = f"{options.use}: {scored.score:g}, at least {options.threshold:g} wanted. {scored.reason}"
    diagnostic = " ".join(text.split())[: 2 * _MAX_CHARS]
    fields: dict[str, Any] = {
        "check": check,
        "diagnostic": diagnostic,
        "score": scored.score,
        "metric": options.metric,
        "gating": options.gating,
        "details": _details(scored),
    }
    if scored.score >= options.threshold:
        return Pass(**fields)
    return Fail(codes=(options.code,), **fields)


def _details(scored: Scored) -> dict[str, object]:
    """What the scorer says its call cost, in US dollars, and its tokens; absent where it does not say."""
    details: dict[str, object] = {}
    if scored.cost_usd is not None:
        details["scorer_cost_usd"] = str(Decimal(str(scored.cost_usd)))
    if scored.tokens is not None:
        details["scorer_tokens"] = scored.tokens
    return details
