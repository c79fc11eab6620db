"""One mesh for a harness run, shared by all of its scorers, threads and event loops.

The mesh is opened by the first sample, in a thread with an event loop of its own, and closed when the process ends or
the harness says that its run is over. Whenever nothing is being graded, the run in the ledger is `done`: a harness
that is killed later leaves no run that looks as if it were still at work.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from judgemesh.contracts.errors import ResultError
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.grading.report import rejected_report
from judgemesh.mesh.inputs.given import to_result
from judgemesh.mesh.inputs.settings import (
    CONFIG_VARIABLE,
    Setting,
    build_config,
    settings_of_environment,
    settings_of_file,
)
from judgemesh.mesh.integrations.graded import Graded
from judgemesh.mesh.runs.mesh import Mesh

T = TypeVar("T")

DEFAULT_LEDGER: Final = "sqlite:///.judgemesh/ledger.db"
"""Where reports are kept where no setting names a ledger, as for the command."""
_CLOSING_S: Final = 30.0

_started: Final = datetime.now(UTC)
_sessions: dict[tuple[str, str], Session] = {}
_lock: Final = threading.RLock()


def harness_config(
    harness: str, run: str | None, settings: Mapping[str, Any]
) -> MeshConfig:
    """The configuration: what the harness passes, then JUDGEMESH_* variables, then a file, then the defaults.

    Args:
        harness: its name, which the name of the run begins with.
        run: the harness's id of its run; None: one run for the process.
        settings: those of `MeshConfig`, and `config`, a TOML file.

    Raises:
        ConfigError: an unknown setting, a wrong value, a file that cannot be used.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    file = given.pop("config", None) or os.environ.get(CONFIG_VARIABLE)
    run = run or f"{_started:%Y-%m-%dT%H:%M:%S.%fZ} {os.getpid()}"
    values = {
        "ledger": Setting(DEFAULT_LEDGER, "default"),
        "run_name": Setting(f"{harness} {run}", "default"),
    }
    if file:
        values |= settings_of_file(Path(file))
    values |= settings_of_environment(os.environ)
    values |= {name: Setting(value, name) for name, value in given.items()}
    return build_config(values)


def session(harness: str, run: str | None = None, **settings: Any) -> Session:
    """The session of a harness run with these settings; opened on first use, the same for every later call.

    A new run of the harness ends the earlier one with the same settings once that has nothing in progress.

    Raises:
        ConfigError: see `harness_config`.
    """
    key = (f"{os.getpid()} {harness} {sorted(map(repr, settings.items()))}", run or "")
    with _lock:
        found = _sessions.get(key)
        if found is None or found.closed:
            config = harness_config(harness, run, settings)
            for other, earlier in list(_sessions.items()):
                if other[0] == key[0] and earlier.idle:
                    _sessions.pop(other).close()
            found = _sessions[key] = Session(config)
        return found


def close_all() -> None:
    """Close every session of this process: the run of the harness is over."""
    with _lock:
        open_sessions = list(_sessions.values())
        _sessions.clear()
    for opened in open_sessions:
        opened.close()


class Session:
    """A mesh in a thread of its own. `grade` and `agrade` may be called from any thread and any event loop."""

    def __init__(self, config: MeshConfig) -> None:
        self.config = config
        self.closed = False
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._opened: Future[Mesh] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop = asyncio.Event()
        self._seen: dict[str, int] = {}
        self._pending = 0
        self._graded = 0

    @property
    def idle(self) -> bool:
        """Whether nothing is being graded."""
        return self._pending == 0

    def grade(self, data: Mapping[str, Any]) -> Graded:
        """Grade one result; with a ledger the report is committed when this returns.

        What is no agent result is an evaluator fault in an undecided report. A result id that comes again in the run
        (a repetition, or a second sample of that name) is graded as `ID#2`, so that neither replaces the other.

        Raises:
            JudgemeshError: contracts, judge or ledger cannot be opened, or the report cannot be stored.
        """
        mesh = self._mesh().result()
        return self._submit(self._grade(mesh, data)).result()

    async def agrade(self, data: Mapping[str, Any]) -> Graded:
        """`grade` for coroutines, on any event loop."""
        from anyio import to_thread

        return await to_thread.run_sync(self.grade, data)

    @property
    def run_id(self) -> str | None:
        """The id of the run in the ledger; None without a ledger. Opens the mesh."""
        run = self._mesh().result().run
        return None if run is None else run.run_id

    def close(self) -> None:
        """Close the mesh. Safe to call twice; in a forked process it leaves the parent's mesh alone."""
        with self._lock:
            opened, loop, thread = self._opened, self._loop, self._thread
            if self.closed or self._pid != os.getpid():
                return
            self.closed = True
        if opened is None or loop is None or thread is None:
            return
        # The loop is closed where the mesh could not be opened.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._stop.set)
        thread.join(_CLOSING_S)

    # --- in the session's own thread ---

    async def _grade(self, mesh: Mesh, data: Mapping[str, Any]) -> Graded:
        self._pending += 1
        run_id = None if mesh.run is None else mesh.run.run_id
        try:
            line = self._named(self._with_task(mesh, data))
            if not line.get("task_id"):
                return Graded(rejected_report(line, _no_task(mesh)), run_id)
            try:
                result = to_result(line)
            except ResultError as error:
                return Graded(rejected_report(line, str(error)), run_id)
            report = await mesh.grade(result)
            self._graded += 1
            return Graded(report, run_id)
        finally:
            self._pending -= 1
            if mesh.run is not None and self._pending == 0:
                await mesh.run.finish("done", {"graded": self._graded})

    def _with_task(self, mesh: Mesh, data: Mapping[str, Any]) -> dict[str, Any]:
        """Where the sample names no task and there is one contract, it is that contract's."""
        line = dict(data)
        contracts = list(mesh.contracts.contracts)
        if not line.get("task_id") and len(contracts) == 1:
            line["task_id"] = contracts[0].contract.task_id
        return line

    def _named(self, line: dict[str, Any]) -> dict[str, Any]:
        name = line.get("result_id")
        if not isinstance(name, str):
            return line
        count = self._seen[name] = self._seen.get(name, 0) + 1
        return line if count == 1 else {**line, "result_id": f"{name}#{count}"}

    async def _serve(self, opened: Future[Mesh]) -> None:
        """Hold the mesh open until `close`. One task enters and leaves it."""
        try:
            async with Mesh.from_config(self.config) as mesh:
                opened.set_result(mesh)
                await self._stop.wait()
        except BaseException as error:
            if opened.done():
                raise
            opened.set_exception(error)

    def _mesh(self) -> Future[Mesh]:
        """The open mesh. A mesh that cannot be opened says so to every caller."""
        with self._lock:
            if self._opened is None:
                self._opened = Future()
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._run, name="judgemesh-session", daemon=True
                )
                self._thread.start()
            return self._opened

    def _run(self) -> None:
        assert self._loop is not None  # noqa: S101 (set before the thread starts)
        assert self._opened is not None  # noqa: S101
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve(self._opened))
        finally:
            self._loop.close()

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        assert self._loop is not None  # noqa: S101 (the mesh is open)
        return asyncio.run_coroutine_threadsafe(work, self._loop)


def _no_task(mesh: Mesh) -> str:
    """Why a sample without a task has no contract, and how to name one."""
    count = len(mesh.contracts.contracts)
    if not count:
        return "no contracts are given: name them with contracts=, or in JUDGEMESH_CONTRACTS"
    return f"the sample names no task, and there are {count:,} contracts: give task=, or task_id in its metadata"


atexit.register(close_all)
