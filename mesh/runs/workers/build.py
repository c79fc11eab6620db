"""From the options of a batch to its workers."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Final

from anyio import to_thread

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.contracts import ContractSet
from judgemesh.mesh.ledger.engines import parse_address
from judgemesh.mesh.runs.workers.local import LocalWorkers, most_workers
from judgemesh.mesh.runs.workers.messages import Setup
from judgemesh.mesh.runs.workers.pool import Launcher, WorkerPool

if TYPE_CHECKING:
    from judgemesh.mesh.runs.line_grading import LineGrader
    from judgemesh.mesh.runs.run import Run
    from judgemesh.mesh.runs.selection import BatchOptions


_OF_THE_DRIVER: Final[tuple[str, ...]] = (
    *("contracts", "judge", "escalate", "votes", "prices"),
    *("max_cost", "ledger"),
)
"""Settings that a worker does not get: it is sent the contracts, and the driver makes all calls."""


async def pool_of(
    options: BatchOptions, grader: LineGrader, run: Run, limit: int
) -> WorkerPool:
    """The workers that the options ask for; none of them is started yet.

    Raises:
        ConfigError: the cluster cannot be used, or the configuration holds objects that cannot be sent.
    """
    launcher: Launcher = LocalWorkers(min(options.workers, most_workers()))
    if options.cluster is not None:
        from judgemesh.mesh.runs.workers.cluster import ClusterWorkers

        launcher = await to_thread.run_sync(ClusterWorkers, options.cluster)
    setup = _setup(grader, max(1, limit // launcher.size))
    return WorkerPool(launcher, setup, grader, run)


def _setup(grader: LineGrader, limit: int) -> Setup:
    """What a worker is told. Calls are made by the driver: a worker gets neither judges nor the ledger."""
    mesh = grader.mesh
    contracts = {
        name: loaded._replace(position=None)
        for name, loaded in mesh.contracts.by_task.items()
    }
    changes: dict[str, None] = dict.fromkeys(_OF_THE_DRIVER)
    setup = Setup(
        config=mesh.config.model_copy(update=changes),
        contracts=ContractSet(contracts),
        run_id=grader.run_id,
        retry_errors=grader.retry_errors,
        limit=limit,
        has_judge=mesh.ports[0] is not None,
        dialect_name=parse_address(str(mesh.config.ledger)).dialect_name,
        economy=mesh.economy,
    )
    try:
        pickle.dumps(setup)
    except Exception as error:
        raise ConfigError(
            f"the configuration cannot be sent to another process: {error}"[:300],
            where="--workers",
        ) from error
    return setup
