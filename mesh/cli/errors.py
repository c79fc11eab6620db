"""Errors as lines on stderr and as exit codes; a traceback of internal errors with -vv."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from errno import EAGAIN, EMFILE, ENFILE, ENOMEM
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
_NO_THREAD: Final = (
    "can't start new thread"  # the words of Python; its RuntimeError says no more
)
_MORE_TASKS: Final = (
    "the system starts no further thread or process; allow more of them "
    "(`ulimit -u`, or the limit of processes of the container)"
)
_MORE_FILES: Final = (
    "the system opens no further file; allow more of them (`ulimit -n`)"
)
_MORE_MEMORY: Final = "the memory is used up; allow more of it, or grade fewer at once (`--max-concurrency`)"
_EXHAUSTED: Final = {
    EAGAIN: _MORE_TASKS,
    EMFILE: _MORE_FILES,
    ENFILE: _MORE_FILES,
    ENOMEM: _MORE_MEMORY,
}


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
    if exhausted(cause) is not None:
        return EXIT_USAGE
    for kind, code in _CODES:
        if isinstance(cause, kind):
            return code
    return EXIT_INTERNAL


def exhausted(error: BaseException) -> str | None:
    """What the system has no more of, and how to give the command more; None for any other error."""
    match error:
        case MemoryError():
            return _MORE_MEMORY
        case RuntimeError() if _NO_THREAD in str(error):
            return _MORE_TASKS
        case OSError():
            return _EXHAUSTED.get(error.errno or 0)
        case _:
            return None


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
    elif (resource := exhausted(error)) is not None:
        yield f"error: {resource}"
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
