"""Judge errors that say more than the shared tree does: what the calling layer must know to go on, or to bill."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.errors import (
    JudgeError,
    JudgeMalformed,
    JudgeRateLimited,
    JudgeRefused,
    JudgeRejected,
    JudgeTimeout,
    JudgeUnavailable,
)
from judgemesh.contracts.verdicts import Reason


class StructuredOutputRejected(JudgeRejected):
    """The provider does not take a response schema; the same question without one may do."""

    error_type = "structured_output_rejected"


class LogprobsRejected(JudgeRejected):
    """The provider gives no log-probabilities of the first token."""

    error_type = "logprobs_rejected"


class DecisionsRejected(JudgeRejected):
    """The provider has no decision endpoint for this model."""

    error_type = "decisions_rejected"


class ConnectionBroken(JudgeUnavailable):
    """The connection was lost after the request was sent: the provider may have done, and billed, the work."""

    error_type = "connection_broken"


class CircuitOpen(JudgeError):
    """The provider failed so often that it is left alone for a while; nothing was sent."""

    error_type = "circuit_open"


class BudgetSpent(JudgeError):
    """The budget does not cover the worst case of the call; nothing was sent."""

    error_type = Reason.BUDGET.value


class AttemptCancelled(JudgeError):
    """The attempt was cancelled after it was sent; the provider may have billed it."""

    error_type = "cancelled"


UNBILLED: Final = (JudgeRateLimited, JudgeRejected, JudgeUnavailable)
"""Errors of a provider that answered with an error, or was never reached: it billed nothing."""


def is_unbilled(error: JudgeError) -> bool:
    """Whether an attempt that ended so surely cost nothing. False means that nobody knows."""
    return isinstance(error, UNBILLED) and not isinstance(error, ConnectionBroken)


def error_named(error_type: str, message: str) -> JudgeError:
    """The error of that slug; a slug nobody knows becomes a plain `JudgeError`."""
    return _BY_TYPE.get(error_type, JudgeError)(message)


_BY_TYPE: Final[dict[str, type[JudgeError]]] = {
    kind.error_type: kind
    for kind in (
        JudgeTimeout,
        JudgeRateLimited,
        JudgeUnavailable,
        ConnectionBroken,
        JudgeMalformed,
        JudgeRefused,
        JudgeRejected,
        StructuredOutputRejected,
        LogprobsRejected,
        DecisionsRejected,
        CircuitOpen,
        BudgetSpent,
    )
}
