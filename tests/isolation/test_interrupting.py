"""Work that computes for ever is ended once nobody waits for it, in a thread, in the loop of plug-ins, in a close."""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import anyio
import anyio.to_thread
import pytest

from judgemesh.mesh.grading.threads import Offload
from judgemesh.mesh.isolation.interrupting import Interrupted, interrupt
from judgemesh.mesh.isolation.plugin_loop import PluginLoop
from judgemesh.mesh.sources import closing

pytestmark = pytest.mark.anyio
ENDS_WITHIN_S = 30.0


class Spinning:
    """Computes until it is interrupted."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.ended = threading.Event()

    def spin(self) -> NoReturn:
        self.began.set()
        try:
            while True:
                pass
        finally:
            self.ended.set()

    async def spin_in_a_coroutine(self) -> NoReturn:
        self.spin()


async def given_up(work: Any) -> None:
    """Await `work()` until it has begun, and no longer."""
    with anyio.move_on_after(0.2) as scope:
        await work()
    assert scope.cancelled_caught


async def ends(event: threading.Event) -> None:
    assert await anyio.to_thread.run_sync(event.wait, ENDS_WITHIN_S)


async def test_a_function_that_nobody_waits_for_is_interrupted() -> None:
    spinning, offload = Spinning(), Offload(threads=1)
    await given_up(lambda: offload.run("spin", spinning.spin))
    await ends(spinning.ended)
    assert await offload.run("spin", lambda: "answered") == "answered"
    offload.close()


async def test_an_interrupted_thread_takes_no_other_work() -> None:
    """The interrupt comes when the call into C returns: by then the thread must have nothing else to do."""
    offload = Offload(threads=2)
    threads: list[threading.Thread] = []
    done = threading.Event()

    def sleep() -> None:
        threads.append(threading.current_thread())
        time.sleep(0.5)
        done.set()

    await given_up(lambda: offload.run("sleep", sleep))
    for _ in range(200):
        assert await offload.run("quick", threading.current_thread) is not threads[0]
        await anyio.sleep(0.005)
    threads[0].join(ENDS_WITHIN_S)
    assert not threads[0].is_alive()
    assert not done.is_set()
    offload.close()


async def test_work_that_swallows_the_interrupt_is_interrupted_again() -> None:
    first, second, offload = Spinning(), Spinning(), Offload()

    def work() -> NoReturn:
        with suppress(BaseException):  # as a destructor does
            first.spin()
        second.spin()

    await given_up(lambda: offload.run("spin", work))
    await ends(first.ended)
    await ends(second.ended)


async def test_work_that_is_left_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("judgemesh.mesh.grading.threads._LEFT_S", 0.1)
    spinning = Spinning()
    Offload().leave(spinning.spin)
    await ends(spinning.ended)


async def test_a_blocked_loop_of_plugins_is_interrupted_and_answers_again() -> None:
    spinning, plugins = Spinning(), PluginLoop()

    async def answer() -> str:
        return "answered"

    assert await plugins.run(answer) == "answered"
    await given_up(lambda: plugins.run(spinning.spin_in_a_coroutine))
    await ends(spinning.ended)
    assert await plugins.run(answer) == "answered"


async def test_a_coroutine_that_only_waits_is_cancelled_and_not_interrupted() -> None:
    plugins = PluginLoop()
    raised: list[str] = []

    async def wait(seconds: float) -> str:
        try:
            await anyio.sleep(seconds)
        except BaseException as error:
            raised.append(type(error).__name__)
            raise
        return "answered"

    neighbours: list[str] = []

    async def neighbour() -> None:
        neighbours.append(await plugins.run(lambda: wait(1.0)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(neighbour)
        await given_up(lambda: plugins.run(lambda: wait(60.0)))
    assert (raised, neighbours) == (["CancelledError"], ["answered"])


@pytest.mark.parametrize("errors", [(), (ValueError("cannot close"),)])
async def test_closing_a_source_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, errors: Sequence[Exception]
) -> None:
    monkeypatch.setattr(closing, "CLOSING_S", 0.2)
    spinning = Spinning()

    def close() -> None:
        for error in errors:
            spinning.ended.set()
            raise error
        spinning.spin()

    closing.close_source(cast("Any", SimpleNamespace(close=close)))
    await ends(spinning.ended)


def test_a_thread_that_imports_is_ended_after_its_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = "import time\nfor _ in range(30):\n    time.sleep(0.01)\n"
    (tmp_path / "imported_slowly.py").write_text(slow, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    begun = threading.Event()
    ended = threading.Event()

    def work() -> None:
        begun.set()
        try:
            importlib.import_module("imported_slowly")
            while True:
                pass
        except Interrupted:
            ended.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    begun.wait(5)
    time.sleep(0.05)
    interrupt(thread)
    assert ended.wait(5)
    assert "imported_slowly" in sys.modules
    assert importlib.import_module("imported_slowly").__name__ == "imported_slowly"
