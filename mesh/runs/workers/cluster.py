"""Workers on a Dask cluster: one of this machine, or one whose scheduler is named by its address.

Dask places the workers and starts them again where a machine is lost; jobs and outcomes go directly between driver and
worker, as they do on one machine.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.runs.workers.worker import work

_LOCAL: Final = "local"
_FORMS: Final = "expected local, local:N or tcp://HOST:PORT"
_CONNECT_S: Final = 10
_CLOSE_S: Final = 1
_LOOPBACK: Final = "127.0.0.1"


def local_size(address: str) -> int | None:
    """The number of workers of `local:N`, 2 for `local`; None for the address of a scheduler.

    Raises:
        ConfigError: the address has neither form.
    """
    kind, _, number = address.partition(":")
    if kind == _LOCAL and not number:
        return 2
    if kind == _LOCAL and number.isdecimal() and int(number):
        return int(number)
    parts = urlsplit(address)
    try:
        if parts.scheme in {"tcp", "tls"} and parts.hostname and parts.port:
            return None
    except ValueError:
        pass  # the port is no number
    raise ConfigError(f"{_FORMS}, got {address[:80]!r}", where="--cluster")


@dataclass(slots=True)
class ClusterWorkers:
    """One worker for each worker process of a Dask cluster.

    address: `local`, `local:N`, or the address of a scheduler. Blocks while it connects.

    Raises:
        ConfigError: the package or the cluster is missing, or the cluster has no workers.
    """

    address: str
    size: int = field(init=False)
    host: str = field(init=False)
    _client: Any = field(init=False)
    _cluster: Any = field(init=False, default=None)
    _names: list[str] = field(init=False)
    _tasks: list[Any] = field(init=False, default_factory=list[Any])

    def __post_init__(self) -> None:
        size = local_size(self.address)
        try:
            from dask import config

            # It sets up logging when it is imported, and says at `info` what it does.
            config.set({"logging.distributed": "critical"})
            import distributed
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"needs the package {error.name}",
                where="--cluster",
                hint="pip install 'judgemesh[cluster]'",
            ) from None
        library: Any = distributed
        target: Any = self.address
        if size is not None:
            target = self._cluster = library.LocalCluster(
                n_workers=size,
                threads_per_worker=1,
                processes=True,
                dashboard_address=f"{_LOOPBACK}:0",
                host=_LOOPBACK,
                silence_logs=logging.CRITICAL,
            )
        try:
            self._client = library.Client(
                target, timeout=_CONNECT_S, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise ConfigError(
                f"no Dask scheduler answers at {self.address}: {error}"[:300],
                where="--cluster",
            ) from None
        self._names = list(self._client.scheduler_info(n_workers=-1)["workers"])
        self.size = len(self._names)
        self.host = _LOOPBACK if size is not None else _own_address(self.address)
        if not self.size:
            self.stop()
            raise ConfigError("the cluster has no workers", where="--cluster")

    def start(self, port: int, key: bytes) -> None:
        """Start a worker on every worker process of the cluster."""
        for name in self._names:
            self._start_one(name, port, key)

    def replace(self, port: int, key: bytes) -> int:
        """Start a worker for each one that has ended, anywhere in the cluster; how many."""
        ended = [task for task in self._tasks if task.done()]
        for task in ended:
            self._tasks.remove(task)
            task.release()
            self._start_one(None, port, key)
        return len(ended)

    def stop(self) -> None:
        """End all workers, and the cluster if it is of this machine."""
        with suppress(OSError, TimeoutError):
            self._client.cancel(self._tasks, force=True)
            self._client.close(timeout=_CLOSE_S)
        if self._cluster is not None:
            # Worker processes end with this one at the latest.
            with suppress(OSError, TimeoutError):
                self._cluster.close(timeout=_CLOSE_S)

    def _start_one(self, name: str | None, port: int, key: bytes) -> None:
        task = self._client.submit(
            work,
            *(self.host, port, key),
            pure=False,
            workers=None if name is None else [name],
            allow_other_workers=True,
        )
        self._tasks.append(task)


def _own_address(scheduler: str) -> str:
    """The address of this machine as the scheduler sees it."""
    parts = urlsplit(scheduler)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((parts.hostname or _LOOPBACK, parts.port or 1))
        host: str = probe.getsockname()[0]
    return host
