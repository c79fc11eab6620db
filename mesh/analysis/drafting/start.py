"""From a foreign log to a folder with results, a drafted contract and their first grading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.analysis.conversion import convert_files
from judgemesh.mesh.analysis.drafting.draft import draft_contract
from judgemesh.mesh.analysis.drafting.observed import Seen, observed
from judgemesh.mesh.inputs.contract_templates import write_new
from judgemesh.mesh.inputs.results import Accepted, read_results
from judgemesh.mesh.tracing.conversations.lines import Conversion
from judgemesh.mesh.tracing.conversations.reading import ConversionCounts

if TYPE_CHECKING:
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.runs.batch import BatchResult
    from judgemesh.mesh.runs.progress import Watch

RESULTS: Final = "results.jsonl"
CONTRACT: Final = "contract.yaml"
LEDGER: Final = "ledger.db"
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What was made of a log: the folder, what its results show, and what was counted on the way."""

    folder: Path
    task_id: str
    seen: Seen
    counts: ConversionCounts

    @property
    def results(self) -> Path:
        """The file of results."""
        return self.folder / RESULTS

    @property
    def contract(self) -> Path:
        """The file of the drafted contract."""
        return self.folder / CONTRACT


def start_from(
    logs: Sequence[Path],
    *,
    folder: Path,
    task: str | None,
    format_name: str,
    answer: str,
    judged: bool,
    on_note: Callable[[str], None],
) -> Start:
    """Convert logs and draft a contract, in a folder that holds neither yet.

    Raises:
        InputError: no log can be read, or the folder holds a file of that name.
    """
    for name in (RESULTS, CONTRACT):
        if (folder / name).exists():
            raise ConfigError(
                "exists already, and is not replaced",
                where=str(folder / name),
                hint="--folder NAME takes another folder",
            )
    _check_folder(folder)
    task_id = task or _task_id(logs[0])
    counts = ConversionCounts()
    convert_files(
        logs,
        Conversion(task_id, (), answer),
        output=folder / RESULTS,
        format_name=format_name,
        result_id=None,
        counts=counts,
        on_note=on_note,
    )
    seen = observed(_results(folder / RESULTS))
    if not seen.runs:
        (folder / RESULTS).unlink(missing_ok=True)
        raise InputError(
            "holds no conversation that can be read",
            where=str(logs[0]),
            hint="docs/how-to/transcripts.md lists the formats; --format NAME names one",
        )
    text = draft_contract(task_id, seen, judged=judged)
    write_new(folder / CONTRACT, text, force=False)
    return Start(folder=folder, task_id=task_id, seen=seen, counts=counts)


async def first_grading(start: Start, config: MeshConfig, watch: Watch) -> BatchResult:
    """Grade the results of a start under its contract, into a ledger in its folder."""
    from judgemesh.mesh.runs.batch import run_batch
    from judgemesh.mesh.runs.selection import BatchOptions

    own = {"contracts": start.contract, "ledger": str(start.folder / LEDGER)}
    return await run_batch(
        config.model_copy(update=own), BatchOptions(results=(start.results,)), watch
    )


def _check_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"cannot be made: {reason}", where=str(folder)) from None


def _task_id(log: Path) -> str:
    """A task id from the name of a log."""
    name = log.name.split(".")[0] if log.name != "-" else ""
    words = _NOT_IN_A_NAME.sub("_", name).strip("_").lower()
    return words if words and not words.isdigit() else "first_task"


def _results(path: Path) -> Iterator[AgentResult]:
    for line in read_results(path):
        if isinstance(line, Accepted):
            yield line.result
