"""The tau-bench converter on small rows of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import re2
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.yaml import documents

ROOT = Path(__file__).resolve().parents[2]
Row = dict[str, Any]


@pytest.fixture(scope="module")
def convert(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("examples/tau_bench/convert.py")


def row(**changes: object) -> Row:
    """A run of a made-up library desk; a change to `...` takes the key away."""
    base: Row = {
        "run_id": "run-1",
        "domain": "library",
        "agent_model": "model-a",
        "task_id": 7,
        "trial": 0,
        "instruction": "Renew the loan of the atlas.",
        "expected_actions": [
            {"name": "get_loan", "args": {}},
            {"name": "renew_loan", "args": {"loan": "L1"}},
        ],
        "expected_outputs": [],
        "messages": [
            {"role": "user", "content": "Please renew my atlas."},
            {
                "role": "assistant",
                "tool_call": {"seq": 0, "name": "renew_loan", "args": {"loan": "L1"}},
            },
            {"role": "assistant", "content": "Renewed until 12 May."},
        ],
        "calls": [
            {
                "seq": 0,
                "name": "renew_loan",
                "args": {"loan": "L1"},
                "result": "ok",
                "error": False,
            }
        ],
        "terminated": True,
        "state_diff": [
            {"path": "loans/L1/due", "before": "2030-04-12", "after": "2030-05-12"}
        ],
        "expected_state_diff": [
            {"path": "loans/L1/due", "before": "2030-04-12", "after": "2030-05-12"}
        ],
    }
    merged = {**base, **changes}
    return {key: value for key, value in merged.items() if value is not ...}


def run(
    folder: Path, *rows: Row | str, files: int = 1
) -> tuple[list[Row], list[Row], subprocess.CompletedProcess[str]]:
    """Write the rows, run the command as a user does, read results and contracts back."""
    paths = [folder / f"input_{number}.jsonl" for number in range(files)]
    for number, path in enumerate(paths):
        lines = [
            one if isinstance(one, str) else json.dumps(one)
            for one in rows[number::files]
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [
        sys.executable,
        str(ROOT / "examples/tau_bench/convert.py"),
        *map(str, paths),
        "--out",
        str(folder / "out"),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    results = [
        json.loads(line)
        for line in (folder / "out/results.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    text = (folder / "out/contracts.yaml").read_text(encoding="utf-8")
    contracts = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    assert contracts == [
        document.data for document in documents(text, "contracts.yaml")
    ]
    for result in results:
        AgentResult.model_validate(result)
    for contract in contracts:
        EvalContract.model_validate(contract)
    assert {result["task_id"] for result in results} == {
        contract["task_id"] for contract in contracts
    }
    return results, contracts, done


def test_a_run_becomes_a_result_and_a_contract(tmp_path: Path) -> None:
    results, contracts, done = run(tmp_path, row())
    assert done.returncode == 0
    assert results == [
        {
            "result_id": "run-1",
            "task_id": "library/7",
            "agent_model": "model-a",
            "status": "completed",
            "output": {"final_answer": "Renewed until 12 May."},
            "state": {
                "diff": [
                    {
                        "path": "/loans/L1/due",
                        "op": "replace",
                        "before": "2030-04-12",
                        "after": "2030-05-12",
                    }
                ]
            },
            "trace": {
                "steps": [
                    {"role": "user", "content": "Please renew my atlas."},
                    {
                        "tool_name": "renew_loan",
                        "arguments": {"loan": "L1"},
                        "result": "ok",
                    },
                    {"role": "assistant", "content": "Renewed until 12 May."},
                ]
            },
            "metadata": {"domain": "library", "trial": 0},
        }
    ]
    (contract,) = contracts
    assert contract["task_id"] == "library/7"
    assert contract["success_criteria"] == {"execution_result": {"required": True}}
    assert contract["state"] == {
        "expected": [{"path": "/loans/L1/due", "op": "replace", "after": "2030-05-12"}]
    }


def test_only_the_needed_keys(tmp_path: Path) -> None:
    bare = {
        "run_id": 5,
        "task_id": "x",
        "messages": None,
        "state_diff": None,
        "expected_state_diff": None,
    }
    (result,), (contract,), done = run(tmp_path, bare)
    assert done.returncode == 0
    assert result["result_id"] == "5"
    assert result["task_id"] == contract["task_id"] == "task/x"
    assert result["status"] == "completed"
    assert result["state"] == {"diff": []}
    assert contract["success_criteria"] == {"execution_result": {"required": False}}


def test_an_unfinished_run_is_a_timeout(tmp_path: Path) -> None:
    (result,), _, _ = run(tmp_path, row(terminated=False))
    assert result["status"] == "timeout"


def test_a_vacuous_expectation_still_requires_the_execution(tmp_path: Path) -> None:
    _, (contract,), _ = run(tmp_path, row(state_diff=[], expected_state_diff=[]))
    assert contract["success_criteria"]["execution_result"] == {"required": True}
    assert contract["state"] == {"expected": []}


def test_runs_that_want_the_same_share_a_contract(tmp_path: Path) -> None:
    results, contracts, _ = run(tmp_path, row(), row(run_id="run-2", trial=1))
    assert len(results) == 2
    assert len(contracts) == 1


def test_one_task_number_with_two_expectations_gets_two_contracts(
    tmp_path: Path,
) -> None:
    other = row(run_id="run-2", expected_outputs=["12 May"])
    results, contracts, _ = run(tmp_path, row(), other, files=2)
    assert len(contracts) == 2
    by_id = {contract["task_id"]: contract for contract in contracts}
    assert "fields" not in by_id[results[0]["task_id"]]
    assert list(by_id[results[1]["task_id"]]["fields"]) == ["output_1"]
    assert all(task_id.startswith("library/7@") for task_id in by_id)


@pytest.mark.parametrize(
    "operation",
    [
        {"path": "a/b", "op": "add", "after": None},
        {"path": "a/b", "op": "remove", "before": {"x": 1}},
        {"path": "a/b", "before": 1, "after": None},
    ],
)
def test_operations_are_kept_or_inferred(tmp_path: Path, operation: Row) -> None:
    (result,), (contract,), _ = run(
        tmp_path, row(state_diff=[operation], expected_state_diff=[operation])
    )
    expected = {**operation, "path": "/a/b", "op": operation.get("op", "replace")}
    assert result["state"]["diff"] == [expected]
    assert contract["state"]["expected"] == [
        {key: value for key, value in expected.items() if key != "before"}
    ]


def test_messages_of_every_kind(tmp_path: Path) -> None:
    messages: list[Row] = [
        {"role": "user", "content": ""},
        {"role": "assistant", "content": None},
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_call": {"seq": 4, "name": "get_loan", "args": {"n": 1}},
        },
        {
            "role": "assistant",
            "tool_call": {"seq": 5, "name": "get_loan", "args": "not an object"},
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "In"},
                {"type": "text", "text": "parts."},
            ],
        },
        {"role": "assistant"},
    ]
    calls: list[Row] = [
        {
            "seq": 4,
            "name": "get_loan",
            "args": {"n": 1},
            "result": {"due": None},
            "error": None,
        },
        {"seq": 9, "name": "late", "args": {}, "result": "Error: no", "error": True},
    ]
    (result,), _, _ = run(tmp_path, row(messages=messages, calls=calls))
    assert result["output"]["final_answer"] == "In\nparts."
    assert result["trace"]["steps"] == [
        {
            "tool_name": "get_loan",
            "arguments": {"n": 1},
            "result": {"due": None},
            "note": "Let me look.",
        },
        {
            "tool_name": "get_loan",
            "arguments": {},
            "raw_arguments": "not an object",
            "result": None,
        },
        {"role": "assistant", "content": "In\nparts."},
        {
            "tool_name": "late",
            "arguments": {},
            "result": "Error: no",
            "status": "error",
            "error": True,
        },
    ]


def test_a_run_without_a_message_of_the_agent(tmp_path: Path) -> None:
    (result,), _, _ = run(
        tmp_path, row(messages=[{"role": "user", "content": "Hello"}])
    )
    assert result["output"] == {"final_answer": None}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "no JSON"),
        ("[]", "expected a JSON object"),
        ('{"run_id": "x"}', "lacks task_id, messages"),
        (json.dumps(row(run_id="b", calls={"seq": 0})), "wrong type: calls"),
        (json.dumps(row(run_id="b", messages=["hello"])), "wrong type: messages"),
        (
            json.dumps(row(run_id="b", state_diff=[{"after": 1}])),
            "wrong type: path of a change",
        ),
        (json.dumps(row(run_id="b", trial=float("nan"))), "NaN is no JSON number"),
        (json.dumps(row()), "stands at"),
    ],
)
def test_a_bad_row_is_named_and_left_out(tmp_path: Path, line: str, fault: str) -> None:
    results, _, done = run(tmp_path, row(), line, row(run_id="run-3"))
    assert [result["result_id"] for result in results] == ["run-1", "run-3"]
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 1
    assert "input_0.jsonl:2: left out: " in done.stderr
    assert fault in done.stderr


def test_nothing_to_convert_is_an_error(tmp_path: Path) -> None:
    results, contracts, done = run(tmp_path, '{"other": 1}')
    assert (results, contracts) == ([], [])
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("expected", "message", "found"),
    [
        ("1786", "In total $1,786.", True),
        ("23553", "That is 2,35,53 in all", True),
        ("327", "3 2 7", False),
        ("481.5", "It costs 481.50", True),
        ("481.5", "It costs 48105", False),
        ("Suite 356", "suite 356, please", True),
        ("Suite 356", "SUITE,, 356", True),
        ("a+b (c)", "so A+B (C)!", True),
        ("a+b (c)", "aab c", False),
        ("[x]^{2}|$\\", "see [X]^{2}|$\\", True),
        ("-1#~/", "is -1#~/ ok", True),
        ("żółw", "ŻÓŁW", True),
        ("1,786", "In total $1,786.", False),
        ("1,786", "In total 1786.", False),
        ("two\nlines", "TWO\nLINES", True),
    ],
)
def test_the_pattern_finds_what_the_benchmark_finds(
    convert: ModuleType, expected: str, message: str, *, found: bool
) -> None:
    assert (expected.lower() in message.lower().replace(",", "")) is found
    assert (re2.search(convert.output_pattern(expected), message) is not None) is found


@given(
    expected=st.text(alphabet="ab1.,+*?()[]{}^$|\\- #\n", min_size=1, max_size=6),
    data=st.data(),
)
def test_the_pattern_agrees_on_any_text(
    convert: ModuleType, expected: str, data: st.DataObject
) -> None:
    around = st.text(alphabet="aAbB1.,+()\\- \n", max_size=4)
    inside = ",".join(expected) if data.draw(st.booleans()) else expected.upper()
    message = (
        data.draw(around)
        + data.draw(st.sampled_from([inside, expected, ""]))
        + data.draw(around)
    )
    official = expected.lower() in message.lower().replace(",", "")
    assert (
        re2.search(convert.output_pattern(expected), message) is not None
    ) is official


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("book_reservation", True),
        ("modify_pending_order_items", True),
        ("send_certificate", True),
        ("get_order_details", False),
        ("list_all_airports", False),
        ("think", False),
        ("calculate", False),
        ("transfer_to_human_agents", False),
        ("transferToHumanSupport", False),
        ("transfer_money", True),
        ("record_payment", True),
        ("getUserDetails", False),
        ("createTicket", True),
        ("crm.find_user", False),
        ("crm.delete_user", True),
        ("", True),
    ],
)
def test_which_tools_write(convert: ModuleType, tool: str, *, expected: bool) -> None:
    assert convert.writes(tool) is expected


AWKWARD = [
    "no",
    "12:30",
    "1e5",
    "0x1F",
    "0o17",
    "~",
    "",
    " a ",
    "#1",
    "- x",
    "a: b",
    "null",
    "1_000",
    ".5",
    "=",
    "<<",
    "é\u2028",
    "😀",
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
)
TEXTS = st.sampled_from(AWKWARD) | st.text(st.characters(codec="utf-8"), max_size=12)
JSON = st.recursive(
    SCALARS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(value=JSON)
def test_the_yaml_means_what_the_json_meant(convert: ModuleType, value: object) -> None:
    text = convert.dump_contracts([{"task_id": "a", "input": {"value": value}}])
    readers: list[Row] = [
        next(documents(text, "contracts.yaml")).data,
        yaml.load(text, Loader=yaml.CSafeLoader),
    ]
    for back in readers:
        assert json.dumps(back["input"]["value"], sort_keys=True) == json.dumps(
            value, sort_keys=True
        )
