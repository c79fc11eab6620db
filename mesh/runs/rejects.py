"""The file in which a batch keeps the lines that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import BinaryIO, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.replaceable import check_replaceable
from judgemesh.mesh.inputs.results import Rejected

_LEDGER_FOLDER: Final = Path(".judgemesh")
_SQLITE: Final = "sqlite:///"


def default_rejects_path(ledger: str, run_id: str) -> Path:
    """Beside the ledger when that is a file, else in the default folder of ledgers."""
    folder = _LEDGER_FOLDER
    is_file = ledger.startswith(_SQLITE) or "://" not in ledger
    if is_file and ":memory:" not in ledger:
        folder = Path(ledger.removeprefix(_SQLITE)).parent
    return folder / f"{run_id}.rejects.jsonl"


class RejectsFile:
    """JSONL with one object a line: `{file, line, problem, raw}`. It is made with the first of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = 0
        self._stream: BinaryIO | None = None

    def add(self, rejected: Rejected, source: Path | None) -> None:
        """Append a line; `source` is its file, None for standard input.

        Raises:
            ConfigError: the file cannot be written.
        """
        if self._stream is None:
            self._stream = self._opened()
        row = {
            "file": None if source is None else str(source),
            "line": rejected.line,
            "problem": rejected.problem,
            "raw": rejected.raw.decode("utf-8", "replace"),
        }
        self._stream.write(json.dumps(row, ensure_ascii=True).encode() + b"\n")
        self.written += 1

    def _opened(self) -> BinaryIO:
        check_replaceable(self.path, ".rejects")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return self.path.open("wb")
        except OSError as error:
            raise ConfigError(
                f"the rejects file cannot be written: {error.strerror or error}",
                where=str(self.path),
                hint="--rejects FILE",
            ) from None

    def close(self) -> None:
        """Close the file, if it was made."""
        if self._stream is not None:
            self._stream.close()
