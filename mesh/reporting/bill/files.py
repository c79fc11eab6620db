"""Bills written to files, as HTML or JSON by the suffix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.text.printable_json import printable_json
from judgemesh.mesh.inputs.replaceable import check_replaceable, write_replaceable
from judgemesh.mesh.reporting.bill.data import bill_json
from judgemesh.mesh.reporting.bill.page import bill_page
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.findings.findings import Finding

_PAGE: Final = ".html"
_SUFFIXES: Final = (_PAGE, ".json")


def check_bill_files(paths: Sequence[Path]) -> bool:
    """Whether one of the files is a page, which shows findings too.

    Raises:
        ConfigError: a file has another suffix, or is there and no bill.
    """
    for path in paths:
        if path.suffix.lower() not in _SUFFIXES:
            problem = f"a bill is written as {' or '.join(_SUFFIXES)}"
            raise ConfigError(problem, where=str(path))
        check_replaceable(path, f"bill{path.suffix.lower()}")
    return any(path.suffix.lower() == _PAGE for path in paths)


def write_bill(path: Path, bill: Bill, findings: Sequence[Finding]) -> None:
    """Write one file; it appears when it is complete.

    Raises:
        ConfigError: it cannot be written.
    """
    if path.suffix.lower() == _PAGE:
        text = bill_page(bill, findings)
    else:
        data = bill_json(bill)
        text = printable_json(data, indent=2) + "\n"
    write_replaceable(path, text, f"bill{path.suffix.lower()}")
