"""The Python API, inside the harnesses people run it in."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import (
    ConfigError,
    ContractError,
    InputError,
    ResultError,
)
from judgemesh.contracts.validator import Case, validator
from judgemesh.contracts.verdicts import Error
from judgemesh.mesh import AgentResult, Gate, Mesh, MeshConfig, grade_sync

CONTRACT = EvalContract.model_validate(
    {"task_id": "t", "success_criteria": {"must_include": ["total"]}}
)
GOOD = {"result_id": "good", "task_id": "t", "output": "Total: 17 EUR"}
BAD = {"result_id": "bad", "task_id": "t", "output": "I do not know."}


@pytest.mark.anyio
async def test_one_result() -> None:
    async with Mesh.from_config(contracts=[CONTRACT]) as mesh:
        good = await mesh.grade(GOOD)
        bad = await mesh.grade(AgentResult.model_validate(BAD))
    assert (good.gate, good.outcome_score, good.hard_success) == (Gate.PASS, 10.0, True)
    assert (bad.gate, bad.primary_failure_reason_code) == (
        Gate.FAIL,
        "MISSING_REQUIRED_FIELD",
    )
    assert "MISSING_REQUIRED_FIELD" in bad.explanation
    assert good.evaluator_cost is not None
    assert good.evaluator_cost.amount == 0


@pytest.mark.anyio
async def test_a_contract_given_with_the_call_goes_first() -> None:
    async with Mesh.from_config() as mesh:
        assert (await mesh.grade(GOOD, CONTRACT)).gate is Gate.PASS
        lost = await mesh.grade(GOOD)
    assert (lost.gate, lost.outcome_class) == (Gate.UNDECIDED, None)
    assert (
        "no contract has the task_id 't'; no contracts were given" in lost.explanation
    )


@pytest.mark.anyio
async def test_many_results_from_sync_and_async_streams() -> None:
    async def stream() -> AsyncIterator[dict[str, str]]:
        for number in range(50):
            await anyio.lowlevel.checkpoint()
            yield {**GOOD, "result_id": f"r{number}"}

    async with Mesh.from_config(contracts=[CONTRACT], max_concurrency=4) as mesh:
        ordered = [
            report.result_id async for report in mesh.grade_many(stream(), ordered=True)
        ]
        as_done = {report.result_id async for report in mesh.grade_many([GOOD, BAD])}
    assert ordered == [f"r{number}" for number in range(50)]
    assert as_done == {"good", "bad"}


@pytest.mark.anyio
async def test_leaving_a_stream_early_leaves_the_mesh_usable() -> None:
    async with Mesh.from_config(contracts=[CONTRACT]) as mesh:
        async for report in mesh.grade_many(
            {**GOOD, "result_id": f"r{n}"} for n in range(1000)
        ):
            assert report.gate is Gate.PASS
            break
        assert (await mesh.grade(GOOD)).gate is Gate.PASS


@pytest.mark.anyio
async def test_a_ledger_keeps_what_was_graded(tmp_path: Path) -> None:
    async with Mesh.from_config(contracts=[CONTRACT], ledger=tmp_path / "l.db") as mesh:
        await mesh.grade(GOOD)
        await mesh.grade(BAD)
        run = mesh.run
        assert run is not None
        summary = await run.ledger.summary(run.run_id)
    assert (summary.attempted, summary.passed, summary.failed) == (2, 1, 1)


@pytest.mark.anyio
async def test_validators_made_in_code() -> None:
    @validator(name="short", version="1")
    def short(case: Case) -> bool:
        return len(case.result.output.final_answer or "") < 14

    contract = CONTRACT.model_copy(update={"validators": []})
    named = EvalContract.model_validate(
        {**contract.model_dump(exclude_unset=True), "validators": ["short"]}
    )
    async with Mesh.from_config(contracts=[named], validators=[short]) as mesh:
        assert (await mesh.grade(GOOD)).gate is Gate.PASS
        failed = await mesh.grade(
            {**GOOD, "output": "Total: 17 EUR, and thank you for asking."}
        )
    assert failed.primary_failure_reason_code == "UNKNOWN_FAILURE"


@pytest.mark.anyio
async def test_bad_input_is_one_clear_line() -> None:
    async with Mesh.from_config(contracts=[CONTRACT]) as mesh:
        with pytest.raises(
            ResultError, match=r"^task_id: is required \(result_id 'x'\)$"
        ):
            await mesh.grade({"result_id": "x"})
        unknown = EvalContract.model_validate({"task_id": "u", "validators": ["nope"]})
        with pytest.raises(
            ConfigError, match="contract 'u': no validator is called 'nope'"
        ):
            await mesh.grade(GOOD, unknown)
    with pytest.raises(
        ConfigError, match=r"unknown setting 'contract' \(did you mean 'contracts'\?\)"
    ):
        Mesh.from_config(contract="x")
    with pytest.raises(ConfigError, match="the mesh is not open"):
        await Mesh.from_config().grade(GOOD)
    with pytest.raises(ContractError, match="cannot be read"):
        async with Mesh.from_config(contracts="gone.yaml"):
            pass
    with pytest.raises(ContractError, match="two contracts have the task_id 't'"):
        async with Mesh.from_config(contracts=[CONTRACT, CONTRACT]):
            pass


@pytest.mark.anyio
async def test_a_bad_item_is_rejected_and_the_others_are_graded() -> None:
    items: list[Any] = [
        GOOD,
        {"result_id": "x"},
        "no result",
        {**GOOD, "result_id": "y"},
    ]
    async with Mesh.from_config(contracts=[CONTRACT]) as mesh:
        reports = [report async for report in mesh.grade_many(items, ordered=True)]
    assert [report.gate for report in reports] == [
        Gate.PASS,
        Gate.UNDECIDED,
        Gate.UNDECIDED,
        Gate.PASS,
    ]
    (row,) = reports[1].verdicts
    assert reports[1].result_id == "x"
    assert isinstance(row.verdict, Error)
    assert row.verdict.diagnostic == "rejected: task_id: is required (result_id 'x')"


def test_configuration_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "contracts.yaml").write_text(
        "task_id: t\nsuccess_criteria: {must_include: [total]}\n"
    )
    config = tmp_path / "mesh.toml"
    config.write_text('contracts = "contracts.yaml"\nmax_concurrency = 3\n')
    (report,) = grade_sync(GOOD, config)
    assert report.gate is Gate.PASS
    config.write_text("max_concurency = 3\n")
    with pytest.raises(
        ConfigError,
        match=r"mesh.toml: unknown setting 'max_concurency' \(did you mean 'max_concurrency'",
    ):
        Mesh.from_config(config)
    with pytest.raises(
        ConfigError,
        match="max_concurrency: expected a whole number of 1 or more, got 0",
    ):
        MeshConfig(max_concurrency=0)


def test_blocking_use_without_a_loop() -> None:
    reports = grade_sync([GOOD, BAD], contracts=[CONTRACT])
    assert [report.gate for report in reports] == [Gate.PASS, Gate.FAIL]


@pytest.mark.anyio
async def test_blocking_use_inside_a_running_loop() -> None:
    (report,) = grade_sync(GOOD, contracts=[CONTRACT])
    assert report.gate is Gate.PASS


def test_uvloop() -> None:
    uvloop = pytest.importorskip("uvloop")

    async def grade() -> Gate:
        assert type(asyncio.get_running_loop()).__module__.startswith("uvloop")
        async with Mesh.from_config(contracts=[CONTRACT]) as mesh:
            return (await mesh.grade(GOOD)).gate

    assert uvloop.run(grade()) is Gate.PASS


NOTEBOOK = f"""
from judgemesh.mesh import EvalContract, Mesh, grade_sync
contract = EvalContract.model_validate({{"task_id": "t", "success_criteria": {{"must_include": ["total"]}}}})
async with Mesh.from_config(contracts=[contract]) as mesh:
    report = await mesh.grade({GOOD!r})
print(report.gate, grade_sync({BAD!r}, contracts=[contract])[0].gate)
"""
EXECUTE = """
import sys
import nbclient, nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(sys.stdin.read())])
specs = KernelSpecManager(kernel_dirs=[sys.argv[1]])
manager = AsyncKernelManager(kernel_name="here", kernel_spec_manager=specs)
done = nbclient.NotebookClient(notebook, km=manager, timeout=60).execute()
print(done.cells[0].outputs[0].text, end="")
"""


def test_jupyter(tmp_path: Path) -> None:
    folder = tmp_path / "kernels" / "here"
    folder.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(
        json.dumps({"display_name": "here", "language": "python", "argv": argv})
    )
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, str(tmp_path / "kernels")],
        input=NOTEBOOK,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "pass fail\n", done.stderr


def test_contracts_may_be_mappings() -> None:
    contract = {"task_id": "t", "success_criteria": {"must_include": ["total"]}}
    result = {"result_id": "r", "task_id": "t", "output": "Total: 40 EUR"}
    made = EvalContract.model_validate(contract)
    for contracts in (contract, [contract], made, [made]):
        (report,) = grade_sync(result, contracts=contracts)
        assert report.gate is Gate.PASS


@pytest.mark.parametrize(
    ("contracts", "says"),
    [
        ({"task_id": "t", "critera": "none"}, "did you mean 'criteria'"),
        ({"task_name": "t"}, "task_id"),
        ([7], "expected a file, a contract or a mapping, got int"),
        (7, "contracts"),
    ],
)
def test_what_is_no_contract_is_refused(contracts: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        grade_sync([], contracts=contracts)


@pytest.mark.parametrize("value", [None, 7, "text"])
def test_one_item_that_is_no_result_is_rejected_in_words(value: Any) -> None:
    (report,) = grade_sync(value, contracts=[CONTRACT])
    assert report.gate is Gate.UNDECIDED
    assert "expected an object with `result_id` and `task_id`" in report.explanation
