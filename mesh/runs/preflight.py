"""What is tried before the first result: every source, every name that a contract gives it, and each judge once.

A fault that would come back with every result stops the run before it has cost anything. What may pass by itself, such
as a time-out, is a warning: the run has retries of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError, JudgeError, PreflightError
from judgemesh.contracts.needs import Records
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.problems import KeyPath, dotted
from judgemesh.mesh.sources.options import key_of
from judgemesh.mesh.sources.protocols import SourceInaccessible

if TYPE_CHECKING:
    from judgemesh.mesh.inputs.contracts import ContractSet, LoadedContract
    from judgemesh.mesh.judging.client.client import Client
    from judgemesh.mesh.runs.run import Run
    from judgemesh.mesh.sources.late import LateSources

_MAX_CHARS: Final = 300
_IN_THE_RESULT: Final = "result"
_MAX_TRIED: Final = 20

Located = tuple[AgentResult, Path]
"""A result, and the folder that its relative paths start from."""


@dataclass(slots=True)
class Findings:
    """What a preflight found: `problems` stop the run, `warnings` do not; one line each."""

    problems: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])

    def stop(self) -> None:
        """Stop where there is a problem.

        Raises:
            PreflightError: there is one.
        """
        if self.problems:
            raise PreflightError(tuple(self.problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """The parts of a mesh that are tried before the first result."""

    contracts: ContractSet
    sources: LateSources
    judges: Sequence[Client]
    run: Run | None

    async def check(self, results: Sequence[Located]) -> tuple[str, ...]:
        """Try sources, names and judges; warnings, one line each.

        Args:
            results: the first results of the run. Names of contracts are tried on them, and services are asked about
                the first one of each contract.

        Raises:
            PreflightError: a source or a judge cannot be used.
        """
        findings = Findings()
        await self._sources(_first_of_each(results), findings)
        findings.stop()
        for client in self.judges:
            await self._judge(client, findings)
        findings.stop()
        findings.warnings += await self._names(results[:_MAX_TRIED])
        return tuple(findings.warnings)

    async def _sources(
        self, first: Mapping[str, AgentResult], findings: Findings
    ) -> None:
        seen: set[tuple[Path, str]] = set()
        for loaded in self.contracts.contracts:
            for path, options in _sources_of(loaded):
                key = (loaded.base_dir, f"{path[0]} {key_of(options)}")
                if key in seen:
                    continue
                seen.add(key)
                where = f"{loaded.locate(path)}: {dotted(path)}"
                task_id = loaded.contract.task_id
                check = self._checked(loaded, path, options, first.get(task_id))
                await _note(check, where, findings)

    def _checked(
        self,
        loaded: LoadedContract,
        path: KeyPath,
        options: Mapping[str, object],
        result: AgentResult | None,
    ) -> Awaitable[tuple[str, ...]]:
        """The check of one source of a contract, not begun."""
        if path[0] == "evidence":
            return self.sources.check_evidence(options, loaded.base_dir)
        need = Records(
            source=options, result_id="", task_id=loaded.contract.task_id, trace_id=None
        )
        if result is not None:
            need = Records(
                source=options,
                result_id=result.result_id,
                task_id=result.task_id,
                trace_id=result.trace_id,
            )
        return self.sources.check_records(need, loaded.base_dir)

    async def _judge(self, client: Client, findings: Findings) -> None:
        from judgemesh.contracts.attempts import CallContext
        from judgemesh.mesh.judging.errors import BudgetSpent
        from judgemesh.mesh.judging.probe import PREFLIGHT, is_lasting, probe

        context = CallContext(validator_name=PREFLIGHT)
        if self.run is not None:
            attempts = self.run.attempts_of(PREFLIGHT)
            context = CallContext(
                validator_name=PREFLIGHT, record=attempts.record, sent=attempts.sent
            )
        try:
            await probe(client, context)
        except BudgetSpent:
            return  # the run says so itself
        except JudgeError as error:
            line = f"judge {client.model}: {error}"
            if is_lasting(error):
                findings.problems.append(line)
            else:
                findings.warnings.append(f"{line}; grading goes on")

    async def _names(self, results: Sequence[Located]) -> list[str]:
        """Warnings about names that none of the results has, where one of nearly that name is there."""
        from anyio import to_thread

        from judgemesh.mesh.runs.contract_trial import misspelt

        return await to_thread.run_sync(misspelt, self.contracts, results)


async def _note(
    check: Awaitable[tuple[str, ...]], where: str, findings: Findings
) -> None:
    """Await a check, and note what it finds."""
    try:
        for warning in await check:
            findings.warnings.append(f"{where}: {warning}")
    except SourceInaccessible as error:
        notes = findings.warnings if error.transient else findings.problems
        notes.append(f"{where}: {error}")
    except ConfigError as error:
        findings.problems.append(f"{where}: {error}")
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a plug-in may raise anything)
        # Each result that needs the source gets the fault as an evaluator error.
        what = " ".join(f"{type(error).__name__}: {error}".split())
        findings.warnings.append(f"{where}: the source broke: {what[:_MAX_CHARS]}")


def _sources_of(
    loaded: LoadedContract,
) -> Iterator[tuple[KeyPath, Mapping[str, object]]]:
    """The sources outside of the result that a contract names, and where."""
    contract = loaded.contract
    if contract.execution is not None:
        options = contract.execution.source
        if options.get("type") != _IN_THE_RESULT:
            yield ("execution", "source"), options
    if contract.evidence is not None:
        for index, options in enumerate(contract.evidence.sources):
            yield ("evidence", "sources", index), options


def _first_of_each(results: Sequence[Located]) -> dict[str, AgentResult]:
    """The first result of each contract."""
    first: dict[str, AgentResult] = {}
    for result, _ in results:
        first.setdefault(result.contract or result.task_id, result)
    return first
