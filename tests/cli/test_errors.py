"""Errors as lines and exit codes."""

from __future__ import annotations

import pytest

from judgemesh.contracts.errors import (
    ConfigError,
    ContractError,
    JudgeTimeout,
    LedgerError,
)
from judgemesh.mesh.cli.errors import (
    error_lines,
    exit_code_of,
    print_error,
    wants_traceback,
)

BUG = ZeroDivisionError("a\nbug\x1b[2J")
THREADS = (
    "error: the system starts no further thread or process; allow more of them "
    "(`ulimit -u`, or the limit of processes of the container)"
)
GROUP = ExceptionGroup(
    "tasks", [BUG, ExceptionGroup("more", [LedgerError("the disk is full")])]
)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (ConfigError("is wrong", where="--flag", hint="try that"), 2, "error: --flag: is wrong (try that)"),
        (ContractError("x", problems=("c.yaml:1:2: \x1b[31mbad",)), 2, "error: c.yaml:1:2: \\x1b[31mbad"),
        (LedgerError("ledger x.db cannot\nbe opened"), 2, "error: ledger x.db cannot be opened"),
        (JudgeTimeout("no answer"), 3, "error: no answer"),
        (GROUP, 2, "error: the disk is full"),
        (RuntimeError("can't start new thread"), 2, THREADS),
        (ExceptionGroup("tasks", [BlockingIOError(11, "Resource temporarily unavailable")]), 2, THREADS),
        (OSError(24, "Too many open files"), 2, "error: the system opens no further file; allow more of them (`ulimit -n`)"),
        (MemoryError(), 2, "error: the memory is used up; allow more of it, or grade fewer at once (`--max-concurrency`)"),
        (RuntimeError("boom"), 70, "internal error: RuntimeError: boom (run with -vv for the traceback)"),
        (BUG, 70, "internal error: ZeroDivisionError: a bug\\x1b[2J (run with -vv for the traceback)"),
        (ExceptionGroup("tasks", [BUG]), 70, "internal error: ZeroDivisionError: a bug\\x1b[2J (run with -vv for the traceback)"),
    ],
)  # fmt: skip
def test_every_error_is_a_line_and_a_code(
    error: Exception, code: int, line: str
) -> None:
    assert exit_code_of(error) == code
    assert list(error_lines(error)) == [line]


@pytest.mark.parametrize("count", [1, 20, 21, 200])
def test_problems_of_a_contract_are_capped(count: int) -> None:
    lines = list(
        error_lines(
            ContractError(
                "x", problems=tuple(f"c.yaml:{number}: bad" for number in range(count))
            )
        )
    )
    assert len(lines) == min(count, 21)
    assert (
        lines[-1] == f"error: and {count - 20} more problem{'s' * (count > 21)}"
    ) == (count > 20)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], False),
        (["-v"], False),
        (["-vv"], True),
        (["-v", "grade", "-v"], True),
        (["--verbose", "-v"], True),
        (["--version", "-j"], False),
    ],
)
def test_traceback_only_on_demand(
    arguments: list[str], wanted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wants_traceback(arguments) is wanted
    print_error(BUG, arguments=arguments)
    assert (
        "ZeroDivisionError" in capsys.readouterr().err.partition("internal error")[0]
    ) is wanted
    print_error(ConfigError("is wrong"), arguments=arguments)
    assert "Traceback" not in capsys.readouterr().err
