"""Plug-ins that block, raise what ends a program, or end it: the check is undecided, and the run goes on."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

import anyio
import pytest

from judgemesh.contracts.validator import Case, Judgement, Validator, validator
from judgemesh.contracts.verdicts import Error, Pass, Reason
from judgemesh.mesh.grading.engine import Engine
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.verdicts import verdicts_of
from judgemesh.mesh.isolation.faults import PluginFault
from judgemesh.mesh.isolation.plugin_loop import PluginLoop

from .test_engine import CASE, Sources, plan

pytestmark = pytest.mark.anyio

RELEASE = threading.Event()
ENDINGS: dict[str, Callable[[], object]] = {
    "sys.exit": lambda: sys.exit(0),
    "KeyboardInterrupt": lambda: _raise(KeyboardInterrupt()),
    "GeneratorExit": lambda: _raise(GeneratorExit()),
    "CancelledError": lambda: _raise(asyncio.CancelledError()),
    "BaseException": lambda: _raise(BaseException("base")),
    "StopIteration": lambda: _raise(StopIteration(True)),
    "MemoryError": lambda: _raise(MemoryError()),
    "RecursionError": lambda: _raise(RecursionError()),
}


def _raise(error: BaseException) -> object:
    raise error


def _plain(act: Callable[[], object]) -> Validator:
    @validator(name="bad", version="1", timeout_s=0.3)
    def bad(case: Case) -> bool:
        act()
        return True

    return bad


def _pure(act: Callable[[], object]) -> Validator:
    return replace(_plain(act), pure=True)


def _generator(act: Callable[[], object]) -> Validator:
    @validator(name="bad", version="1", timeout_s=0.3)
    def bad(case: Case) -> Judgement:
        act()
        yield {}
        return [Pass(check="bad")]

    return bad


def _async(act: Callable[[], object]) -> Validator:
    @validator(name="bad", version="1", timeout_s=0.3)
    async def bad(case: Case) -> bool:
        act()
        return True

    return bad


FORMS = {"plain": _plain, "pure": _pure, "generator": _generator, "async": _async}


@validator(name="good", version="1")
def good(case: Case) -> bool:
    """A neighbour."""
    return True


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", ENDINGS)
async def test_what_a_plug_in_raises_is_an_evaluator_error(
    form: str, ending: str
) -> None:
    engine = Engine(judge=None, sources=Sources())
    bad = FORMS[form](ENDINGS[ending])
    rows = await engine.evaluate(CASE, plan(bad, good, timeout_s=5), Meter())
    verdicts = {row.validator_name: row.verdict for row in rows}
    if not (form == "generator" and ending == "StopIteration"):
        assert isinstance(verdicts["bad"], Error)
    assert not isinstance(verdicts["bad"], Pass)
    assert isinstance(verdicts["good"], Pass)
    engine.close()


@pytest.mark.parametrize("form", FORMS)
async def test_a_plug_in_that_blocks_costs_its_deadline_alone(form: str) -> None:
    engine = Engine(judge=None, sources=Sources())
    bad = FORMS[form](lambda: RELEASE.wait(60))
    for _ in range(2):
        started = time.monotonic()
        rows = await engine.evaluate(CASE, plan(bad, good, timeout_s=0.3), Meter())
        assert time.monotonic() - started < 30
        verdicts = {row.validator_name: row.verdict for row in rows}
        assert isinstance(verdicts["bad"], Error)
        assert verdicts["bad"].reason == Reason.DEADLINE
    engine.close()


async def test_a_function_that_was_quick_may_block_later() -> None:
    calls = 0

    def act() -> None:
        nonlocal calls
        calls += 1
        if calls > 25:
            RELEASE.wait(60)

    engine = Engine(judge=None, sources=Sources())
    bad = _plain(act)
    for _ in range(25):
        (row,) = await engine.evaluate(CASE, plan(bad, timeout_s=30), Meter())
        assert isinstance(row.verdict, Pass)
    (row,) = await engine.evaluate(CASE, plan(bad, timeout_s=0.3), Meter())
    assert isinstance(row.verdict, Error)
    engine.close()


async def test_a_generator_that_refuses_to_close_does_not_hold_the_run() -> None:
    @validator(name="bad", version="1", timeout_s=0.2)
    def bad(case: Case) -> Judgement:
        try:
            yield {}
            RELEASE.wait(60)
        except GeneratorExit:
            sys.exit(0)
        return []

    engine = Engine(judge=None, sources=Sources())
    (row,) = await engine.evaluate(CASE, plan(bad, timeout_s=0.2), Meter())
    assert isinstance(row.verdict, Error)
    engine.close()


async def test_asynchronous_plug_ins_share_a_loop_until_it_is_blocked() -> None:
    plugins = PluginLoop()

    async def which() -> int:
        return id(asyncio.get_running_loop())

    def blocks() -> Awaitable[object]:
        async def block() -> object:
            return RELEASE.wait(60)

        return block()

    first = await plugins.run(which)
    assert await plugins.run(which) == first
    with anyio.move_on_after(0.2):
        await plugins.run(blocks)
    assert await plugins.run(which) != first
    with pytest.raises(PluginFault, match="raised SystemExit"):
        await plugins.run(_exits)
    assert await plugins.run(which) != first


async def _exits() -> None:
    sys.exit(0)


@pytest.fixture(autouse=True, scope="module")
def _released() -> object:
    yield
    RELEASE.set()


async def test_a_coroutine_that_a_plain_function_returns_is_no_verdict() -> None:
    async def nothing() -> bool:
        return True

    (verdict,) = verdicts_of(nothing())

    assert isinstance(verdict, Error)
    assert verdict.reason is Reason.NO_VERDICT
    assert "returned coroutine" in verdict.diagnostic
