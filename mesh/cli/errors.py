"""Errors as lines on stderr and as exit codes; a traceback of internal errors with -vv."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Final, cast

from judgemesh.contracts.errors import (
    ContractError,
    InputError,
    JudgemeshError,
    LedgerError,
    PreflightError,
)

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_EVALUATOR: Final = 3
EXIT_INTERNAL: Final = 70
EXIT_INTERRUPTED: Final = 130

_CODES: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (InputError, EXIT_USAGE),
    (LedgerError, EXIT_USAGE),
    (JudgemeshError, EXIT_EVALUATOR),
)
_MAX_PROBLEMS: Final = 20


def cause_of(error: BaseException) -> BaseException:
    """The error to report: of a group of concurrent tasks, the first with an exit code."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    group = cast("BaseExceptionGroup[BaseException]", error)
    causes = [cause_of(member) for member in group.exceptions]
    for cause in causes:
        if isinstance(cause, JudgemeshError):
            return cause
    return causes[0]


def exit_code_of(error: BaseException) -> int:
    """The exit code an error ends the process with."""
    cause = cause_of(error)
    for kind, code in _CODES:
        if isinstance(cause, kind):
            return code
    return EXIT_INTERNAL


def error_lines(error: BaseException) -> Iterator[str]:
    """The lines for stderr: one, or one for each fault of a contract file."""
    from judgemesh.mesh.reporting.text import one_line, plural

    error = cause_of(error)
    if isinstance(error, ContractError | PreflightError):
        for problem in error.problems[:_MAX_PROBLEMS]:
            yield f"error: {one_line(problem)}"
        more = len(error.problems) - _MAX_PROBLEMS
        if more > 0:
            yield f"error: and {plural(more, 'more problem')}"
    elif isinstance(error, JudgemeshError):
        yield f"error: {one_line(str(error))}"
    else:
        kind, text = type(error).__name__, one_line(str(error), 500)
        yield f"internal error: {kind}: {text} (run with -vv for the traceback)"


def print_error(error: BaseException, *, arguments: Sequence[str]) -> None:
    """Print an error on stderr; with -vv among the arguments, the traceback before it."""
    if exit_code_of(error) == EXIT_INTERNAL and wants_traceback(arguments):
        import traceback

        traceback.print_exception(error)
    for line in error_lines(error):
        sys.stderr.write(line + "\n")


def wants_traceback(arguments: Sequence[str]) -> bool:
    """Whether -v is given twice (-vv, -v -v, --verbose -v)."""
    count = 0
    for argument in arguments:
        if argument == "--verbose":
            count += 1
        elif argument.startswith("-") and set(argument[1:]) == {"v"}:
            count += len(argument) - 1
    return count > 1
