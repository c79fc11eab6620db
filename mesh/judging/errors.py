"""Judge errors beyond the shared tree: what the client must know to go on, or to bill.

JudgeError
|- JudgeRejected
|  |- AccessDenied
|  |- StructuredOutputRejected, LogprobsRejected, DecisionsRejected
|- JudgeUnavailable
|  |- ConnectionBroken, Unreachable
|- CircuitOpen
|- BudgetSpent
|- AttemptCancelled
"""

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


class AccessDenied(JudgeRejected):
    """No key, a key that is refused, an unknown model, an empty account: every further question ends the same way."""

    error_type = Reason.ACCESS_DENIED.value


class StructuredOutputRejected(JudgeRejected):
    """The provider takes no response schema; the question can be asked without one."""

    error_type = "structured_output_rejected"


class LogprobsRejected(JudgeRejected):
    """The provider returns no log-probabilities of the first token."""

    error_type = "logprobs_rejected"


class DecisionsRejected(JudgeRejected):
    """The provider has no decision endpoint for this model."""

    error_type = "decisions_rejected"


class ConnectionBroken(JudgeUnavailable):
    """The connection was lost after the request was sent, which may be billed."""

    error_type = "connection_broken"


class Unreachable(JudgeUnavailable):
    """The request was not sent: there is no such host, or nothing listens at its port."""

    error_type = "unreachable"


class CircuitOpen(JudgeError):
    """The circuit breaker is open because the provider failed too often; nothing was sent."""

    error_type = "circuit_open"


class BudgetSpent(JudgeError):
    """The budget does not cover the worst case of the call; nothing was sent."""

    error_type = Reason.BUDGET.value


class AttemptCancelled(JudgeError):
    """The attempt was cancelled after it was sent; the provider may have billed it."""

    error_type = "cancelled"


UNBILLED: Final = (JudgeRateLimited, JudgeRejected, JudgeUnavailable)
"""Errors of a provider that answered with an error or was not reached: it billed nothing."""


def is_unbilled(error: JudgeError) -> bool:
    """Whether the attempt certainly cost nothing; False if that is unknown."""
    return isinstance(error, UNBILLED) and not isinstance(error, ConnectionBroken)


def error_named(error_type: str, message: str) -> JudgeError:
    """The error of that slug; an unknown slug gives a plain `JudgeError`."""
    return _BY_TYPE.get(error_type, JudgeError)(message)


_BY_TYPE: Final[dict[str, type[JudgeError]]] = {
    kind.error_type: kind
    for kind in (
        JudgeTimeout,
        JudgeRateLimited,
        JudgeUnavailable,
        ConnectionBroken,
        Unreachable,
        JudgeMalformed,
        JudgeRefused,
        JudgeRejected,
        AccessDenied,
        StructuredOutputRejected,
        LogprobsRejected,
        DecisionsRejected,
        CircuitOpen,
        BudgetSpent,
    )
}
