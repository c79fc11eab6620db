"""Every error judgemesh raises on purpose.

JudgemeshError
├── InputError              the user's text, file or flag is wrong: one line with the place, fault and remedy
│   ├── ContractError       an eval contract
│   ├── ResultError         a line of agent results
│   └── ConfigError         flags, configuration, a plug-in that cannot be loaded
│       └── PreflightError  a source or a judge that a run needs cannot be used; nothing was graded
├── LedgerError             the ledger cannot be opened, read or written
└── JudgeError              a judge call did not give a usable answer (an evaluator fault, never a grade)
    ├── JudgeTimeout
    ├── JudgeRateLimited    429; carries retry_after_s
    ├── JudgeUnavailable    5xx, connection refused or lost
    ├── JudgeMalformed      an answer came, but no verdict can be read from it
    ├── JudgeRefused        the model declined
    └── JudgeRejected       the request itself is wrong (400, 401, 403, 404, context overflow)
"""

from __future__ import annotations

from typing import ClassVar


class JudgemeshError(Exception):
    """Root of the tree."""


class InputError(JudgemeshError):
    """Something the user gave is wrong. `str(error)` is one line: `where: message (hint)`."""

    def __init__(
        self, message: str, *, where: str | None = None, hint: str | None = None
    ) -> None:
        self.message = message
        self.where = where
        self.hint = hint
        line = message
        if where:
            line = f"{where}: {line}"
        if hint:
            line = f"{line} ({hint})"
        super().__init__(line)


class ContractError(InputError):
    """An eval contract cannot be used. `problems` holds one line for each fault of the file."""

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        problems: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.problems = problems or (str(self),)


class ResultError(InputError):
    """A line of agent results cannot be used."""


class ConfigError(InputError):
    """A flag, the configuration or a plug-in cannot be used."""


class PreflightError(ConfigError):
    """A source or a judge cannot be used, so that nothing was graded. `problems` holds one line for each of them."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        first, *others = problems
        more = f" (and {len(others)} more)" if others else ""
        super().__init__(first + more)
        self.problems = problems


class LedgerError(JudgemeshError):
    """The ledger cannot be opened, read or written."""


class JudgeError(JudgemeshError):
    """A judge call gave no usable answer. `error_type` is the slug the ledger stores."""

    error_type: ClassVar[str] = "judge_error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class JudgeTimeout(JudgeError):
    """The call did not end in time."""

    error_type = "timeout"
    retryable = True


class JudgeRateLimited(JudgeError):
    """The provider limits the rate; `retry_after_s` is the waiting time it named, if any."""

    error_type = "rate_limited"
    retryable = True


class JudgeUnavailable(JudgeError):
    """The provider failed or cannot be reached."""

    error_type = "unavailable"
    retryable = True


class JudgeMalformed(JudgeError):
    """An answer without a readable verdict."""

    error_type = "malformed"
    retryable = True


class JudgeRefused(JudgeError):
    """The model declined to answer."""

    error_type = "refused"


class JudgeRejected(JudgeError):
    """The provider rejects the request itself; asking again cannot help."""

    error_type = "rejected"
