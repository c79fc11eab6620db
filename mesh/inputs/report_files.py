"""Files of reports (`-o reports.jsonl`), read line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ResultError
from judgemesh.mesh.inputs.files.opening import open_file

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report


def read_reports(path: Path) -> Iterator[Report]:
    """The reports of a file, one at a time, in its order.

    Raises:
        ResultError: the file cannot be read, or a line is no report; it names the line.
    """
    try:
        with open_file(path) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _report(line, f"{path}:{number}")
    except OSError as error:
        reason = error.strerror or error
        raise ResultError(f"cannot be read: {reason}", where=str(path)) from None


def _report(line: bytes, where: str) -> Report:
    import json

    from judgemesh.contracts.report import report_from_json

    try:
        return report_from_json(json.loads(line))
    except KeyError as error:
        problem = f"is no report: it has no {error.args[0]!r}"
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        problem = f"is no report: {error}"
    except RecursionError:
        problem = "is no report: it is nested too deeply"
    raise ResultError(
        problem, where=where, hint="`judgemesh grade -o reports.jsonl` writes reports"
    )
