"""Validators in a process of their own: what they return, raise or do to it, and that the run goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.validator import Case, Judgement, Validator, validator
from judgemesh.mesh import Mesh
from judgemesh.mesh.isolation import validators
from judgemesh.mesh.isolation.workers import WorkerPool

pytestmark = pytest.mark.anyio

_PLUGIN = """
import asyncio, os, sys, time
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.validator import validator
from judgemesh.contracts.verdicts import Fail, Pass

def isolated(function):
    return validator(name=function.__name__, version="1", timeout_s=20.0, isolated=True)(function)

@isolated
def process_id(case):
    return Pass(diagnostic=str(os.getpid()))

@isolated
async def waits(case):
    await asyncio.sleep(0.01)
    return Fail(codes=(FailureCode.OUTPUT_FORMAT_INVALID,), diagnostic=case.result.output.final_answer)

@isolated
def says_no(case):
    return False

@isolated
def raises(case):
    raise ValueError("not today")

@isolated
def exits(case):
    sys.exit(0)

@isolated
def dies(case):
    os._exit(0)

@isolated
def crashes(case):
    os.abort()

@isolated
def takes_memory(case):
    return len(bytearray(8 * 2**30)) > 0

@isolated
def returns_rubbish(case):
    return lambda: None

@validator(name="hangs", version="1", timeout_s=0.5, isolated=True)
def hangs(case):
    while True:
        time.sleep(600)
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module with validators."""
    name = f"isolated_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(_PLUGIN)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    pool = WorkerPool()
    monkeypatch.setattr(validators, "_POOL", pool)
    yield name
    pool.close()


def said_by(report: Report, name: str) -> str:
    """The verdict of a validator."""
    (row,) = (row for row in report.verdicts if row.validator_name == name)
    return row.verdict.diagnostic


async def graded(plugin: str, name: str) -> Report:
    check = cast("Validator", getattr(import_module(plugin), name))
    result = {"result_id": "r", "task_id": "t", "output": "It is done."}
    contract = EvalContract.model_validate(
        {"task_id": "t", "validators": [{"name": name}]}
    )
    async with Mesh.from_config(contracts=[contract], validators=[check]) as mesh:
        return await mesh.grade(result)


async def test_it_runs_in_another_process(plugin: str) -> None:
    report = await graded(plugin, "process_id")
    assert report.gate is Gate.PASS
    assert int(said_by(report, "process_id")) != os.getpid()


@pytest.mark.parametrize("name", ["waits", "says_no"])
async def test_it_may_fail_the_gate(plugin: str, name: str) -> None:
    report = await graded(plugin, name)
    assert report.gate is Gate.FAIL


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raises", "not today"),
        ("exits", "SystemExit"),
        ("dies", "ended the process"),
        ("crashes", "ended the process"),
        ("takes_memory", "more memory than 2 GiB"),
        ("returns_rubbish", "cannot be sent"),
        ("hangs", "no verdict within 0.5 s"),
    ],
)
async def test_its_fault_is_undecided(plugin: str, name: str, said: str) -> None:
    report = await graded(plugin, name)
    assert report.gate is Gate.UNDECIDED
    assert said in said_by(report, name)
    assert (await graded(plugin, "process_id")).gate is Gate.PASS


async def test_a_call_that_is_cancelled_ends_its_process(
    plugin: str, tmp_path: Path
) -> None:
    source = _PLUGIN.replace("timeout_s=0.5", "timeout_s=600.0").replace(
        "    while True:",
        f"    open({str(tmp_path / 'begun')!r}, 'w').close()\n    while True:",
    )
    (tmp_path / f"{plugin}.py").write_text(source)
    begun = tmp_path / "begun"

    async def ended(isolated: WorkerPool) -> None:
        """Wait for the call to begin, cancel it, and wait for its process to end."""
        busy: list[Any] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(graded, plugin, "hangs")
            while not begun.exists():  # noqa: ASYNC110 (written by another process)
                await anyio.sleep(0.01)
            busy.extend(isolated._busy)
            tasks.cancel_scope.cancel()
        while busy[0].is_alive:  # noqa: ASYNC110 (another process)
            await anyio.sleep(0.01)

    with anyio.fail_after(60):
        await ended(validators._POOL)


def test_what_another_process_cannot_import_is_refused() -> None:
    def generator(case: Case) -> Judgement:
        yield {}
        return []

    def local(case: Case) -> bool:
        return True

    with pytest.raises(TypeError, match="is a generator"):
        validator(name="g", version="1", isolated=True)(generator)
    with pytest.raises(TypeError, match="another process can import"):
        validator(name="l", version="1", isolated=True)(local)
    local.__qualname__, local.__module__ = "local", "__main__"
    with pytest.raises(TypeError, match=r"__main__\.local"):
        validator(name="m", version="1", isolated=True)(local)
