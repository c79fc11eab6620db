"""A run in the ledger: its identity, and the writing of what happens in it.

The run key says what "the same grading" means: the inputs by name, the contracts, the judge and the validators. The
same key continues the run; anything else starts another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from judgemesh.contracts.attempts import JudgeAttempt, SourceLookup
from judgemesh.contracts.report import Report
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.ledger.records import RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgemesh.mesh.calibration.batch_effect import Halo
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.grading.meter import AttemptSink
    from judgemesh.mesh.grading.plugins import Registry
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.ledger.store import Ledger


@dataclass(slots=True)
class Run:
    """One run of a mesh in its ledger."""

    run_id: str
    ledger: Ledger
    clock: Callable[[], datetime]
    _positions: Iterator[int] = field(default_factory=count)

    async def write(
        self,
        report: Report,
        *,
        digest: str | None,
        index: int | None,
        result: AgentResult,
    ) -> None:
        """Commit a report; `index` is its place in the input, `digest` the identity of the result's bytes."""
        await self.ledger.write_report(
            self.run_id,
            report,
            result_digest=digest or digest_of(result),
            input_index=next(self._positions) if index is None else index,
            created_at=self.clock(),
        )

    def attempt_sink(self, result_id: str) -> AttemptSink:
        """Where attempts made for a result are written, each as it happens."""

        async def sink(attempt: JudgeAttempt) -> None:
            await self.ledger.write_attempt(self.run_id, result_id, attempt)

        return sink

    def lookup_sink(self, result_id: str) -> Callable[[SourceLookup], Awaitable[None]]:
        """Where look-ups made for a result are written, each as it happens."""

        async def sink(lookup: SourceLookup) -> None:
            await self.ledger.write_lookup(self.run_id, result_id, lookup)

        return sink

    async def finish(self, status: str, summary: Mapping[str, Any]) -> None:
        """Close the run's row; a later continuation opens it again."""
        await self.ledger.finish_run(
            self.run_id, finished_at=self.clock(), status=status, summary=summary
        )


async def begin_run(
    ledger: Ledger,
    config: MeshConfig,
    contracts: ContractSet,
    registry: Registry,
    judge_settings: Mapping[str, object] | None,
) -> Run:
    """Start the run of this configuration in a ledger, or continue it.

    Raises:
        LedgerError: the ledger cannot be written.
    """
    identity = run_identity(config, contracts, registry, judge_settings)
    key = run_key(config, identity)
    stored = await ledger.begin_run(
        RunRecord(
            run_id=f"run_{key.removeprefix('sha256:')[:12]}",
            run_key=key,
            created_at=config.clock(),
            config=identity,
            evaluator_version=VERSION,
            name=config.run_name or "",
        )
    )
    return Run(stored.run_id, ledger, config.clock)


async def halos_of(ledger: Ledger, run_id: str) -> dict[str, Halo]:
    """What the calls of a run that asked several questions show about each judge; empty where none was asked both ways.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    audits = await ledger.batch_audits(run_id)
    if not audits:
        return {}
    from judgemesh.mesh.calibration.batch_effect import calls_by_model, measure

    calls = calls_by_model(audits)
    return {model: measure(of_model) for model, of_model in calls.items()}


def run_key(config: MeshConfig, identity: Mapping[str, Any]) -> str:
    """The key of the run; without a name in the configuration, one that no other run has."""
    return digest_json(
        {
            **identity,
            "name": config.run_name or f"{config.clock().isoformat()} {uuid4()}",
        }
    )


def run_identity(
    config: MeshConfig,
    contracts: ContractSet,
    registry: Registry,
    judge_settings: Mapping[str, object] | None,
) -> dict[str, Any]:
    """What decides whether two gradings are the same."""
    judge = (
        None
        if judge_settings is None
        else {**judge_settings, "api_base": config.judge_api_base}
    )
    return {
        "evaluator": VERSION,
        "contracts": contracts.digest(),
        "judge": judge,
        "validators": {
            name: validator.version
            for name, validator in sorted(registry.validators.items())
        },
        "mode": ["economy", config.audit_share, config.seed]
        if config.mode == "economy"
        else ["full"],
        "also": sorted(one for one in config.validators if isinstance(one, str)),
    }


def digest_of(result: AgentResult) -> str:
    """The identity of a result that was not read from a file."""
    return digest_json(result.model_dump(mode="json", exclude_unset=True))


def digest_json(data: Mapping[str, Any]) -> str:
    """`sha256:` of canonical JSON; what JSON does not know is spelled as text."""
    text = json.dumps(
        data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str
    )
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
