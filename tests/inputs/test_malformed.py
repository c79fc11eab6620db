"""Hostile and broken input, as tables: each fault is one line that says where and what, and loses nothing else."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.errors import ContractError, ResultError
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.grading.contract_check.check import check_contracts, load_contracts
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.inputs.results import Accepted, Rejected, read_results
from judgemesh.mesh.runs.batch import BatchResult, run_batch
from judgemesh.mesh.runs.progress import RunProgress
from judgemesh.mesh.runs.selection import BatchOptions

GOOD = b'{"result_id": "good-%d", "task_id": "t", "output": "The answer is 42."}'
DEEP = b"[" * 5000 + b"]" * 5000

RESULTS: dict[str, tuple[bytes, str]] = {
    "not json": (b"hello", r"not valid JSON: expected value \(character 1\)"),
    "cut off": (
        b'{"result_id": "a", "task_id": "t"',
        r"not valid JSON: EOF while parsing an object",
    ),
    "trailing text": (
        b'{"result_id": "a", "task_id": "t"} x',
        r"not valid JSON: trailing characters",
    ),
    "two objects on a line": (
        b'{"result_id": "a", "task_id": "t"}{"result_id": "b"}',
        r"not valid JSON: trailing",
    ),
    "single quotes": (b"{'result_id': 'a'}", r"not valid JSON: key must be a string"),
    "trailing comma": (b'{"result_id": "a", "task_id": "t",}', r"not valid JSON"),
    "comment": (b'// {"result_id": "a"}', r"not valid JSON"),
    "NaN": (
        b'{"result_id": "a", "task_id": "t", "latency_ms": NaN}',
        r"not valid JSON",
    ),
    "Infinity": (
        b'{"result_id": "a", "task_id": "t", "latency_ms": -Infinity}',
        r"not valid JSON",
    ),
    "number beyond a float": (
        b'{"result_id": "a", "task_id": "t", "latency_ms": 1e999}',
        r"latency_ms: expected a finite number",
    ),
    "number of 5,000 digits": (
        b'{"result_id": "a", "task_id": "t", "x": ' + b"9" * 5000 + b"}",
        r"number out of range",
    ),
    "duplicate key": (
        b'{"result_id": "a", "task_id": "t", "task_id": "u"}',
        r'Detected duplicate key "task_id"',
    ),
    "5,000 levels deep": (
        b'{"result_id": "a", "task_id": "t", "x": ' + DEEP + b"}",
        r"recursion limit exceeded",
    ),
    "not UTF-8": (
        b'{"result_id": "\xff\xfe", "task_id": "t"}',
        r"not UTF-8 \(byte 16\): convert the file",
    ),
    "escape that is cut off": (
        b'{"result_id": "\\ud8", "task_id": "t"}',
        r"not valid JSON: .*escape",
    ),
    "control character in a string": (
        b'{"result_id": "a\x01b", "task_id": "t"}',
        r"control character",
    ),
    "UTF-16": ('{"result_id": "a"}'.encode("utf-16"), r"not UTF-8 \(byte 1\): convert"),
    "binary": (
        bytes(range(1, 10)) + bytes(range(14, 256)),
        r"not UTF-8 \(byte 124\): convert",
    ),
    "null": (
        b"null",
        r"expected an object with `result_id` and `task_id`, got nothing",
    ),
    "a list": (b'[{"result_id": "a"}]', r"expected an object .* got a list of 1"),
    "a string": (b'"result"', r"expected an object .* got the text 'result'"),
    "a number": (b"17", r"expected an object .* got the number 17"),
    "empty object": (b"{}", r"result_id: is required; task_id: is required"),
    "no task": (b'{"result_id": "a"}', r"task_id: is required \(result_id 'a'\)"),
    "empty id": (b'{"result_id": "", "task_id": "t"}', r"result_id: must not be empty"),
    "id is a fraction": (
        b'{"result_id": 7.5, "task_id": "t"}',
        r"result_id: expected text, got the number 7\.5",
    ),
    "unknown status": (
        b'{"result_id": "a", "task_id": "t", "status": "purple"}',
        r"status: expected 'completed', 'timeout', 'error' or 'abandoned', got the text 'purple'",
    ),
    "answer is a list": (
        b'{"result_id": "a", "task_id": "t", "output": {"final_answer": [4]}}',
        r"output\.final_answer: expected text, got a list of 1",
    ),
    "output is a list": (
        b'{"result_id": "a", "task_id": "t", "output": ["x"]}',
        r"output: expected an object",
    ),
    "outputs is a list": (
        b'{"result_id": "a", "task_id": "t", "output": {"outputs": []}}',
        r"output\.outputs: expected an object",
    ),
    "action without kind": (
        b'{"result_id": "a", "task_id": "t", "actions": [{}]}',
        r"actions\[0\]\.kind: is required",
    ),
    "actions is an object": (
        b'{"result_id": "a", "task_id": "t", "actions": {}}',
        r"actions: expected a list, got an object",
    ),
    "change without path": (
        b'{"result_id": "a", "task_id": "t", "state": {"diff": [{"after": 1}]}}',
        r"state\.diff\[0\]\.path: is required",
    ),
    "unknown op": (
        b'{"result_id": "a", "task_id": "t", "state": {"diff": [{"path": "/a", "op": "zap"}]}}',
        r"state\.diff\[0\]\.op: expected 'add', 'replace' or 'remove'",
    ),
    "trace is a number": (
        b'{"result_id": "a", "task_id": "t", "trace": 7}',
        r"trace: expected an object .* got the number 7",
    ),
    "cost is negative": (
        b'{"result_id": "a", "task_id": "t", "cost": -0.5}',
        r"cost: expected an amount from 0 to 1e\+15, got '-0.5'",
    ),
    "cost is too large": (
        b'{"result_id": "a", "task_id": "t", "cost": "1e999999"}',
        r"cost: expected an amount from 0 to 1e\+15, got '1e999999'",
    ),
    "cost has thousands of digits": (
        b'{"result_id": "a", "task_id": "t", "cost": "' + b"1" * 4000 + b'"}',
        r"cost: expected an amount from 0 to 1e\+15, got '1{30,40}",
    ),
    "latency is too large": (
        b'{"result_id": "a", "task_id": "t", "latency_ms": 1.7e308}',
        r"latency_ms: expected less than or equal to 1000000000000",
    ),
    "cost is text": (
        b'{"result_id": "a", "task_id": "t", "cost": "cheap"}',
        r"cost: expected an amount from 0 to 1e\+15, got 'cheap'",
    ),
    "currency is a sign": (
        b'{"result_id": "a", "task_id": "t", "cost": {"amount": 1, "currency": "$"}}',
        r"cost: a currency is three capital letters",
    ),
    "latency is negative": (
        b'{"result_id": "a", "task_id": "t", "latency_ms": -1}',
        r"latency_ms: expected greater than or equal to 0",
    ),
    "time is a word": (
        b'{"result_id": "a", "task_id": "t", "started_at": "noon"}',
        r"started_at: expected a time such as",
    ),
    "metadata is a list": (
        b'{"result_id": "a", "task_id": "t", "metadata": []}',
        r"metadata: expected an object",
    ),
    "longer than the limit": (
        b'{"result_id": "a", "task_id": "t", "output": "' + b"x" * 10_000_000 + b'"}',
        r"longer than 8 MiB",
    ),
    "keys of another program": (
        b'{"run": "a", "task": "t", "answer": "x"}',
        r"result_id: is required; task_id: is required \(other keys: 'run', 'task'\)$",
    ),
    "a number that is none": (
        b'{"result_id": "a", "task_id": "t", "cost": NaN}',
        r"not valid JSON: NaN is no value of JSON \(write null\) \(character 44\)",
    ),
    "same id again": (GOOD % 1, r"result_id 'good-1' was already on line 1"),
}


async def _graded(
    results: Path, tmp_path: Path
) -> tuple[BatchResult, list[RunProgress]]:
    contracts = tmp_path / "contracts.yaml"
    contracts.write_text(
        "task_id: t\nsuccess_criteria: {required_outputs: [final_answer]}\n"
    )
    seen: list[RunProgress] = []
    config = MeshConfig(contracts=[contracts], ledger=tmp_path / "ledger.db")
    options = BatchOptions(results=(results,))
    return await run_batch(config, options, seen.append), seen


@pytest.mark.anyio
@pytest.mark.parametrize("name", RESULTS)
async def test_a_broken_line_is_named_and_loses_nothing_else(
    name: str, tmp_path: Path
) -> None:
    line, expected = RESULTS[name]
    results = tmp_path / "results.jsonl"
    results.write_bytes(b"\n".join([GOOD % 1, line, GOOD % 2, b""]))
    batch, seen = await _graded(results, tmp_path)
    assert (batch.summary.attempted, batch.summary.passed, batch.rejected) == (2, 2, 1)
    problem = next(progress.problem for progress in seen if progress.problem)
    assert problem.startswith(f"{results}:2: ")
    assert re.search(expected, problem), problem
    assert "\n" not in problem
    assert batch.rejects_path is not None
    (reject,) = [json.loads(row) for row in batch.rejects_path.read_text().splitlines()]
    assert (reject["line"], reject["problem"]) == (2, problem)


@pytest.mark.anyio
async def test_every_broken_line_in_one_file(tmp_path: Path) -> None:
    lines = [GOOD % 1]
    for number, (line, _) in enumerate(RESULTS.values(), start=2):
        lines += [line, GOOD % number]
    results = tmp_path / "results.jsonl"
    results.write_bytes(b"\r\n\r\n".join(lines))
    batch, _ = await _graded(results, tmp_path)
    assert (batch.summary.passed, batch.rejected) == (len(RESULTS) + 1, len(RESULTS))


@pytest.mark.anyio
async def test_a_result_nobody_wrote_a_contract_for_is_undecided(
    tmp_path: Path,
) -> None:
    results = tmp_path / "results.jsonl"
    results.write_bytes(b'{"result_id": "a", "task_id": "unknown"}\n' + GOOD % 1)
    batch, _ = await _graded(results, tmp_path)
    assert (
        batch.summary.passed,
        batch.summary.undecided,
        batch.summary.error_results,
    ) == (1, 1, 1)


def test_a_file_that_cannot_be_read_at_all(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=r"gone.jsonl: cannot be read: No such file"):
        list(read_results(tmp_path / "gone.jsonl"))
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(b"\n".join(GOOD % n for n in range(1000)))[:-20])
    with pytest.raises(
        ResultError, match=r"torn.jsonl.gz: cannot be read past line \d+"
    ):
        list(read_results(torn))


def test_byte_order_mark_blank_lines_and_gzip_are_fine(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbf" + GOOD % 1 + b"\n\n   \n" + GOOD % 2
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    plain.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    for path in (plain, packed):
        found = list(read_results(path))
        assert [
            item.result.result_id for item in found if isinstance(item, Accepted)
        ] == ["good-1", "good-2"]
        assert not any(isinstance(item, Rejected) for item in found)
        assert [item.line for item in found] == [1, 4]


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"result_id": "a", "task_id": "t", "team": "blue", "metadata": {"team": "red", "n": 1}}'
    )
    (item,) = read_results(path)
    assert isinstance(item, Accepted)
    assert item.result.metadata == {"team": "red", "n": 1}


CONTRACTS: dict[str, tuple[str, str]] = {
    "empty file": ("", r"no contract found"),
    "a word": (
        "hello",
        r"1:1: expected a contract \(an object with `task_id`\), got str",
    ),
    "no task_id": ("task_name: x", r"1:1: task_id: is required"),
    "unknown key": (
        "task_id: t\nsucess_criteria: {}",
        r"2:1: sucess_criteria: unknown key; did you mean 'success_criteria'",
    ),
    "unknown nested key": (
        "task_id: t\nsuccess_criteria:\n  must_inclde: [x]",
        r"3:3: success_criteria\.must_inclde: unknown key; did you mean 'must_include'",
    ),
    "fields as a list": (
        "task_id: t\nfields: [a]",
        r"2:1: fields: .* a field that must be there is written `name: \{\}`",
    ),
    "fields as a schema": (
        "task_id: t\nfields: {type: object, properties: {a: {type: string}}}",
        r"2:1: fields: holds a JSON Schema; .* move the schema to `output_schema`",
    ),
    "fields with a schema's list": (
        "task_id: t\nfields: {required: [a]}",
        r"2:1: fields: holds a JSON Schema",
    ),
    "properties of a schema": (
        "task_id: t\nfields: {properties: {a: {type: integer}}}",
        r"2:1: fields: holds a JSON Schema",
    ),
    "fields with names of a schema": (
        "task_id: t\nfields: {required: {}, properties: {}, type: {equal: x}}",
        r"2:47: fields\.type\.equal: unknown key; did you mean 'equals'",
    ),
    "duplicate key": (
        "task_id: t\ntask_id: u",
        r"2:1: the key 'task_id' stands twice \(first on line 1\)",
    ),
    "duplicate nested key": (
        "task_id: t\nfields:\n  a: {path: x}\n  a: {path: y}",
        r"4:3: the key 'a' stands twice \(first on line 3\)",
    ),
    "alias bomb": (
        "a: &a [1,1,1,1,1,1,1,1,1]\n"
        + "".join(
            f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        r"aliases expand to more than 200,000 values",
    ),
    "alias of itself": ("task_id: &a [*a]", r"1:14: the alias \*a points at nothing"),
    "alias of nothing": (
        "task_id: *nothing",
        r"1:10: the alias \*nothing points at nothing",
    ),
    "100,000 levels": ("[" * 100_000, r"1:101: nested more than 100 levels deep"),
    "python tag": (
        "task_id: !!python/object/apply:os.system [ls]",
        r"1:10: the tag 'tag:yaml.org,2002:python/object/apply:os.system' is not supported",
    ),
    "binary tag": (
        "task_id: !!binary aGk=",
        r"1:10: the tag 'tag:yaml.org,2002:binary' is not supported",
    ),
    "tab indentation": (
        "task_id: t\nfields:\n\ta: {}",
        r"3:1: not valid YAML: found character that cannot start any token",
    ),
    "unclosed bracket": ("task_id: [t", r"not valid YAML: did not find expected"),
    "unclosed quote": (
        'task_id: "t',
        r"not valid YAML: found unexpected end of stream",
    ),
    "control character": (
        "task_id: a\x07b",
        r"1:1: not valid YAML: the character U\+0007 is not allowed",
    ),
    "complex key": ("? [a, b]\n: c", r"1:3: a key must be plain text"),
    "merge of a word": ("task_id: t\n<<: word", r"2:5: `<<` merges an object"),
    ".nan": (
        "task_id: t\nscoring: {thresholds: {readability: .nan}}",
        r"2:37: \.nan is not a number JSON knows",
    ),
    "number is a word": (
        "task_id: t\nscoring: {thresholds: {readability: high}}",
        r"2:24: scoring\.thresholds\.readability: expected a number, got the text 'high'",
    ),
    "unknown metric": (
        "task_id: t\nscoring: {weights: {beauty: 1}}",
        r"2:21: scoring\.weights\.beauty",
    ),
    "unknown code": (
        "task_id: t\noutcome: {effects: {BAD_ANSWER: gate}}",
        r"2:21: outcome\.effects\.BAD_ANSWER.*'BAD_ANSWER' is no failure code",
    ),
    "hold code moved": (
        "task_id: t\noutcome: {effects: {EVALUATOR_FAILURE: soft}}",
        r"EVALUATOR_FAILURE is about the evaluator",
    ),
    "hold code forbidden": (
        "task_id: t\nsuccess_criteria: {must_not_include: [evaluator_failure]}",
        r"2:39: success_criteria\.must_not_include\[0\]: EVALUATOR_FAILURE speaks",
    ),
    "must_include is a word": (
        "task_id: t\nsuccess_criteria: {must_include: price}",
        r"2:20: success_criteria\.must_include: expected a list, got the text 'price'",
    ),
    "weight zero": (
        "task_id: t\ncriteria: [{id: a, question: Is it?, weight: 0}]",
        r"2:38: criteria\[0\]\.weight: expected greater than 0, got the number 0",
    ),
    "two criteria of one id": (
        "task_id: t\ncriteria: [{id: a, question: Is it?}, {id: a, question: Is it?}]",
        r"criteria: 'a' stands twice",
    ),
    "pass_if maybe": (
        "task_id: t\ncriteria: [{id: a, question: Is it?, pass_if: maybe}]",
        r"2:38: criteria\[0\]\.pass_if: expected 'yes' or 'no'",
    ),
    "pattern": (
        "task_id: t\nfields: {a: {pattern: '(?<x'}}",
        r"2:14: fields\.a\.pattern: not a usable pattern \(RE2 syntax\)",
    ),
    "backreference": (
        "task_id: t\nfields: {a: {pattern: '(a)\\1'}}",
        r"not a usable pattern \(RE2 syntax\): invalid escape",
    ),
    "schema type": (
        "task_id: t\noutput_schema: {type: objekt}",
        r"2:1: output_schema: not a usable JSON Schema",
    ),
    "remote $ref": (
        "task_id: t\noutput_schema: {$ref: 'http://127.0.0.1:9/x.json'}",
        r"references are not fetched",
    ),
    "file $ref": (
        "task_id: t\noutput_schema: {$ref: 'file:///etc/hosts'}",
        r"references are not fetched",
    ),
    "ceiling of nothing": (
        "task_id: t\nbudget: {ceiling: 0}",
        r"2:1: budget: a cost ceiling must be above 0",
    ),
    "source without type": (
        "task_id: t\nexecution: {source: {path: x}}",
        r"2:1: execution: source needs a `type`",
    ),
    "rule without operands": (
        "task_id: t\nsop: {rules: [{id: r, template: precedence, activity: pay}]}",
        r"2:15: sop\.rules\[0\]: precedence takes `first` and `then`",
    ),
    "unknown template": (
        "task_id: t\nsop: {rules: [{id: r, template: sometimes, activity: pay}]}",
        r"2:23: sop\.rules\[0\]\.template: expected 'existence'",
    ),
    "same task twice": (
        "- task_id: t\n- task_id: t",
        r"2:3: task_id: 't' is already taken by .*:1:3",
    ),
    "list of words": ("- task_id: t\n- hello", r"2:3: expected a contract"),
    "unknown validator": (
        "task_id: t\nvalidators: [requierd_fields]",
        r"2:14: validators\[0\]: no validator is called 'requierd_fields'; did you mean 'required_fields'",
    ),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_broken_contract_is_located(name: str, tmp_path: Path) -> None:
    text, expected = CONTRACTS[name]
    path = tmp_path / "contracts.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ContractError) as caught:
        check_contracts(load_contracts([path]), ValidatorRegistry.discover())
    assert re.search(expected, caught.value.problems[0]), caught.value.problems
    assert caught.value.problems[0].startswith(str(path))
    assert not any("\n" in problem for problem in caught.value.problems)


def test_all_faults_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "- task_id: a\n  nope: 1\n- task_id: b\n- task_id: c\n  criteria: [{id: x}]\n"
    )
    (tmp_path / "b.yml").write_text("task_id: [")
    (tmp_path / "c.json").write_text('{"task_id": "a2", "version": 3}')
    with pytest.raises(ContractError) as caught:
        load_contracts([tmp_path])
    assert len(caught.value.problems) == 3
    assert "and 2 more" in str(caught.value)


def test_unreadable_contract_files(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match=r"gone.yaml: cannot be read: No such file"):
        load_contracts([tmp_path / "gone.yaml"])
    (tmp_path / "latin.yaml").write_bytes(b"task_id: caf\xe9")
    with pytest.raises(
        ContractError, match=r"latin.yaml: not UTF-8 \(byte 13\): convert the file"
    ):
        load_contracts([tmp_path / "latin.yaml"])


def _one(text: str, tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    return load_contracts([path]).contracts[0].contract.model_dump(exclude_unset=True)


def test_yaml_words_stay_words(tmp_path: Path) -> None:
    found = _one(
        "task_id: no\nfamily: 12:30\ninput: {on: off, day: 2026-01-31, n: 0o17, f: 1e3, big: 007, empty: , s: '1', b: !!str 2}",
        tmp_path,
    )
    assert (found["task_id"], found["family"]) == ("no", "12:30")
    assert found["input"] == {
        "on": "off",
        "day": "2026-01-31",
        "n": 15,
        "f": 1000.0,
        "big": 7,
        "empty": None,
        "s": "1",
        "b": "2",
    }


def test_anchors_and_merges_are_welcome(tmp_path: Path) -> None:
    found = _one(
        "task_id: t\ninput:\n  a: &a {x: 1, y: 2}\n  b: {<<: *a, y: 3}\n  c: {<<: [*a, {z: 4}], w: 5}\n",
        tmp_path,
    )
    assert found["input"] == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 3},
        "c": {"x": 1, "y": 2, "z": 4, "w": 5},
    }


def test_a_quoted_merge_key_is_an_ordinary_key(tmp_path: Path) -> None:
    assert _one('task_id: t\ninput: {"<<": {x: 1}}', tmp_path)["input"] == {
        "<<": {"x": 1}
    }


def test_several_documents_and_a_contracts_list(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("task_id: a\n---\n- task_id: b\n---\ncontracts:\n  - task_id: c\n")
    assert [loaded.contract.task_id for loaded in load_contracts([path]).contracts] == [
        "a",
        "b",
        "c",
    ]


def test_the_articles_contract_is_accepted(tmp_path: Path) -> None:
    contract = """
task_id: search_agent_001
task_name: Search for Phase III clinical evidence for a drug-indication pair
input:
  user_instruction: >
    Search and summarize whether drug X has Phase III clinical evidence
    for indication Y.
success_criteria:
  required_outputs: [final_answer, evidence_list, citations]
  must_include: [drug_name, indication, trial_phase, trial_status, primary_endpoint, conclusion]
  must_not_include: [fabricated_reference, unsupported_claim]
  execution_result:
    required: true
    must_include: [execution_status, confirmation_id, execution_target, execution_parameters]
    must_not_include:
      - action_not_executed
      - execution_result_not_found
      - wrong_execution_target
      - wrong_execution_parameters
      - duplicate_execution
      - unauthorized_payment
      - unconfirmed_high_risk_action
"""
    found = _one(contract, tmp_path)
    assert found["success_criteria"]["execution_result"]["required"] is True


@pytest.mark.parametrize("value", ["[1, 2]", "'x'", "3"])
def test_a_value_of_none_of_several_types_is_one_fault(
    tmp_path: Path, value: str
) -> None:
    path = tmp_path / "contracts.yaml"
    path.write_text(f"task_id: t\noutput_schema: {value}\n")
    with pytest.raises(ContractError) as raised:
        load_contracts([path])
    (line,) = str(raised.value).splitlines()
    assert "output_schema: expected an object (key: value) or true or false" in line


def test_arguments_that_nobody_reads_are_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "contracts.yaml"
    path.write_text(
        "task_id: t\n"
        "validators:\n"
        "  - {name: completion, args: {strict: true}}\n"
        "  - {name: scorers, args: {scorers: []}}\n"
    )
    with pytest.raises(ContractError) as raised:
        check_contracts(load_contracts([path]), ValidatorRegistry.discover())
    (line,) = str(raised.value).splitlines()
    assert line.startswith(f"{path}:3:")
    assert "completion takes no arguments" in line
