"""A run in the ledger: its identity, and the writing of reports, attempts and look-ups.

The run key defines "the same grading": the inputs by name, the contracts, what the local files of their sources hold,
the judge and the validators. The same key continues the run; any other starts a new one. What a result is, and what the
files hold that it names, is the identity of the result within the run.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.redaction import safe_address
from judgemesh.contracts.report import Report
from judgemesh.contracts.validator import Validator
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.grading.code_digest import code_digest
from judgemesh.mesh.ledger.records import RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from judgemesh.contracts.attempts import (
        JudgeAttempt,
        JudgeRequest,
        SourceLookup,
    )
    from judgemesh.mesh.calibration.batch_effect import Halo
    from judgemesh.mesh.config import MeshConfig
    from judgemesh.mesh.grading.content import GivenResult
    from judgemesh.mesh.grading.plugins import ValidatorRegistry
    from judgemesh.mesh.inputs.contracts import ContractSet
    from judgemesh.mesh.ledger.request_journal import RequestJournal
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.runs.redaction import TextRedactor


@dataclass(frozen=True, slots=True)
class RunAttempts:
    """Where attempts made for a result of a run are noted and written, each as it happens."""

    run: Run
    result_id: str

    def sent(self, request: JudgeRequest) -> None:
        """Note a request that is about to be sent.

        Raises:
            LedgerError: it cannot be noted.
        """
        if self.run.journal is not None:
            self.run.journal.sent(self.result_id, request)

    def record(
        self, attempt: JudgeAttempt, *, can_wait: bool = False
    ) -> Awaitable[None]:
        """Commit an attempt; await the returned value to know that it is. `can_wait`: a little later is as good."""
        run, committed = self.run, None
        if run.journal is not None:
            committed = partial(run.journal.recorded, self.result_id, attempt)
        kept = attempt if run.redactor is None else run.redactor.attempt(attempt)
        return run.ledger.write_attempt(
            run.run_id,
            self.result_id,
            kept,
            can_wait=can_wait,
            committed=committed,
        )


@dataclass(slots=True)
class Run:
    """One run of a mesh in its ledger.

    journal: what keeps requests in flight on record; None where the ledger has no file. redactor: what judge calls and
    look-ups pass through before they are written.
    """

    run_id: str
    ledger: Ledger
    clock: Callable[[], datetime]
    journal: RequestJournal | None = None
    redactor: TextRedactor | None = None
    finished: bool = False
    _positions: Iterator[int] = field(default_factory=count)

    async def write(
        self,
        report: Report,
        *,
        given: GivenResult,
        content: Callable[[], Mapping[str, object]] | None = None,
    ) -> None:
        """Commit the report of a result that was not read from a file.

        content: makes what is kept of the result itself; None keeps nothing of it.
        """
        await self.ledger.write_report(
            self.run_id,
            report,
            result_digest=digest_json(given.data),
            input_index=next(self._positions),
            created_at=self.clock(),
            content=content,
        )

    def attempts_of(self, result_id: str) -> RunAttempts:
        """Where attempts made for a result are written."""
        return RunAttempts(self, result_id)

    def lookup_sink(self, result_id: str) -> Callable[[SourceLookup], Awaitable[None]]:
        """Where look-ups made for a result are written, each as it happens."""

        async def sink(lookup: SourceLookup) -> None:
            kept = lookup if self.redactor is None else self.redactor.lookup(lookup)
            await self.ledger.write_lookup(self.run_id, result_id, kept)

        return sink

    async def finish(self, status: str, summary: Mapping[str, Any]) -> None:
        """Close the run's row; a later continuation opens it again."""
        self.finished = True
        await self.ledger.finish_run(
            self.run_id, finished_at=self.clock(), status=status, summary=summary
        )


def run_status(error: BaseException | None, *, budget_spent: bool) -> str:
    """How a run ended: `done`, `budget`, `interrupted`, `stopped` (something it needs cannot be used) or `failed`.

    Args:
        error: what ended it before its time.
        budget_spent: whether a question was not asked because the budget did not cover it.
    """
    if error is None:
        return "budget" if budget_spent else "done"
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return "interrupted"
    return "stopped" if isinstance(error, InputError) else "failed"


async def begin_run(
    ledger: Ledger,
    config: MeshConfig,
    contracts: ContractSet,
    registry: ValidatorRegistry,
    judge_settings: Mapping[str, object] | None,
    contents: Mapping[str, str],
) -> Run:
    """Start the run of this configuration in a ledger, or continue it.

    Raises:
        LedgerError: the ledger cannot be written.
    """
    identity = run_identity(config, contracts, registry, judge_settings, contents)
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
    return Run(
        stored.run_id,
        ledger,
        config.clock,
        journal=await ledger.request_journal(stored.run_id),
    )


async def halos_of(ledger: Ledger, run_id: str) -> dict[str, Halo]:
    """The batch effect of each judge in a run; empty where no question was asked both alone and with others.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    audits = await ledger.batch_audits(run_id)
    if not audits:
        return {}
    from judgemesh.mesh.calibration.batch_effect import calls_by_model, measure

    calls = calls_by_model(audits)
    return {model: measure(of_model) for model, of_model in calls.items()}


def _redactor_digest(redactor: object) -> str:
    """A pattern may name what it hides, so its digest stands for it."""
    name = redactor if isinstance(redactor, str) else getattr(redactor, "__name__", "")
    return hashlib.sha256(str(name).encode()).hexdigest()


def run_key(config: MeshConfig, identity: Mapping[str, Any]) -> str:
    """The key of the run; without a name in the configuration, one that no other run has."""
    name = config.run_name or f"{config.clock().isoformat()} {uuid4()}"
    return digest_json({**identity, "name": name})


def run_identity(
    config: MeshConfig,
    contracts: ContractSet,
    registry: ValidatorRegistry,
    judge_settings: Mapping[str, object] | None,
    contents: Mapping[str, str],
) -> dict[str, Any]:
    """Everything that distinguishes one grading from another, JSON-ready.

    `contents` are the digests of the files that sources and recordings name (`runs/contents.py`).
    """
    judge: dict[str, object] | None = None
    if judge_settings is not None:
        address = config.judge_api_base
        judge = {**judge_settings, "api_base": address and safe_address(address)}
    mode: list[object] = ["full"]
    if config.mode == "economy":
        mode = ["economy", config.audit_share, config.seed]
    if config.offline:
        mode.append("offline")
    if config.redactors:
        mode.append(["redact", *map(_redactor_digest, config.redactors)])
    validators = sorted(registry.validators.items())
    return {
        "evaluator": VERSION,
        "contracts": contracts.digest(),
        "judge": judge,
        "validators": {name: _code_of(validator) for name, validator in validators},
        "mode": mode,
        "contents": dict(sorted(contents.items())),
        "also": sorted(
            entry if isinstance(entry, str) else entry.name
            for entry in config.validators
        ),
    }


def _code_of(validator: Validator) -> str:
    """Version and code of a validator: `3 0f1e...`."""
    return f"{validator.version} {code_digest(validator)}".rstrip()


_canonical: Final = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), default=str
).encode


def digest_json(data: Mapping[str, Any]) -> str:
    """`sha256:` of canonical JSON; other values become text."""
    return "sha256:" + hashlib.sha256(_canonical(data).encode()).hexdigest()
