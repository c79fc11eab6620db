"""What driver and worker say to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.needs import Answer, Ask, Extract, Lookup, Records
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.grading.economy.sample import Economy
from judgemesh.mesh.inputs.contracts import ContractSet
from judgemesh.mesh.runs.line_grading import Job, Outcomes

# --- from the driver ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The first message: everything a worker needs to grade.

    limit: how many jobs a worker has in progress at most. has_judge: whether the driver has a judge. dialect_name: of
    the ledger's database. economy: the options of `--mode economy`.
    """

    config: MeshConfig
    contracts: ContractSet
    run_id: str
    retry_errors: bool | None
    limit: int
    has_judge: bool
    dialect_name: str
    economy: Economy | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """Jobs to grade."""

    jobs: Sequence[Job]


@dataclass(frozen=True, slots=True)
class Attempted:
    """An attempt that was made for a call; the ledger holds it already."""

    call: int
    attempt: JudgeAttempt


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers of a call, in the order of its needs; or the error that the judge or the source raised."""

    call: int
    answers: Sequence[Answer]
    error: Exception | None = None


# --- from a worker ---


@dataclass(frozen=True, slots=True)
class Asked:
    """A call: needs of a result that a judge or a source has to answer.

    base_dir: what relative paths of the contract start from. begun: see `CallContext`.
    """

    call: int
    result_id: str
    validator_name: str
    needs: Sequence[Ask] | Extract | Lookup | Records
    base_dir: Path | None = None
    begun: int = 0


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Nobody waits for a call any more."""

    call: int


@dataclass(frozen=True, slots=True)
class Finished:
    """Outcomes of jobs.

    job_s: what one of them took, from its begin to its end. unredacted: failures of functions that redact, since the
    last message.
    """

    outcomes: Outcomes
    job_s: float
    unredacted: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Broken:
    """What ends the run: a contract that cannot be used."""

    error: Exception
