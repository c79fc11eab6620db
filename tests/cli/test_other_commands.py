"""`validators`, `contract`, `doctor`, `--help`: and what it costs to start."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest

from judgemesh.contracts.codes import CODES, FailureCode
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.inputs.contract_schema import contract_schema
from judgemesh.mesh.inputs.contract_templates import families

if TYPE_CHECKING:
    from .conftest import Cli

HEAVY = {
    "asyncio",
    "pydantic",
    "anyio",
    "litellm",
    "numpy",
    "sqlalchemy",
    "rich",
    "httpx",
    "yaml",
    "orjson",
    "jsonschema_rs",
    "re2",
}


def test_codes(cli: Cli) -> None:
    rows = json.loads(cli("validators", "--codes", "--json").stdout)
    assert [row["code"] for row in rows] == [code.value for code in CODES]
    table = cli("validators", "--codes", COLUMNS="80").stdout
    assert all(code.value in table for code in FailureCode)
    assert max(len(line) for line in table.splitlines()) <= 80


def test_validators(cli: Cli) -> None:
    done = cli("validators", "--json")
    assert done.returncode == 0
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    fields = rows["required_fields"]
    assert fields["origin"] == f"judgemesh {VERSION}"
    assert fields["form"] == "generator"
    assert "MISSING_REQUIRED_FIELD" in fields["codes"]
    shown = cli("validators")
    assert all(name in shown.stdout for name in rows)


def test_contract_check(cli: Cli) -> None:
    cli.write(
        "good.yaml",
        "task_id: x",
        "success_criteria: {required_outputs: [final_answer]}",
    )
    shown = cli("contract", "check", "good.yaml").stdout
    assert "required output 'final_answer'" in shown
    assert shown.endswith("1 contract can be used; 0 faults, 0 warnings\n")
    quiet = cli("contract", "check", "good.yaml", "--quiet").stdout
    assert quiet == "1 contract can be used; 0 faults, 0 warnings\n"
    cli.write("bad.yaml", "task_id: x", "sop: {rulez: []}", "---", "task_id: 7")
    done = cli("contract", "check", "bad.yaml", "missing.yaml")
    assert done.returncode == 2
    assert [line.split(": ")[1] for line in done.stderr.splitlines()] == [
        "bad.yaml:2:7",
        "bad.yaml:4:1",
        "missing.yaml",
    ]
    assert done.stdout == "3 faults, 0 warnings\n"
    data = json.loads(cli("contract", "check", "bad.yaml", "--json").stdout)
    assert data["ok"] is False
    assert len(data["problems"]) == 2


def test_contract_check_warns(cli: Cli) -> None:
    ungated = "validators: [{name: completion, gate: false}]"
    cli.write("empty.yaml", "task_id: x", ungated)
    done = cli("contract", "check", "empty.yaml")
    assert done.returncode == 0
    assert done.stdout == "1 contract can be used; 0 faults, 1 warning\n"
    assert done.stderr.startswith("warning: empty.yaml:1:1: ")


def test_contract_new(cli: Cli) -> None:
    assert "general" in families()
    for family in families():
        done = cli("contract", "new", "--family", family, "-o", f"new/{family}.yaml")
        assert done.returncode == 0
        text = (cli.folder / f"new/{family}.yaml").read_text()
        assert cli("contract", "new", "--family", family).stdout == text
    checked = cli("contract", "check", "new")
    assert checked.returncode == 0
    assert checked.stderr == ""
    again = cli("contract", "new", "-o", "new/general.yaml")
    assert (again.returncode, again.stderr) == (
        2,
        "error: new/general.yaml: exists already (--force replaces it)\n",
    )
    assert cli("contract", "new", "-o", "new/general.yaml", "--force").returncode == 0
    unknown = cli("contract", "new", "--family", "nope")
    assert unknown.returncode == 2
    assert f"there is: {', '.join(families())}" in unknown.stderr


def uncommented(text: str) -> str:
    """The template with its examples switched on: comment lines that hold YAML."""
    lines = (
        line.removeprefix("# ")
        if line.startswith(("#   ", "# -")) or is_key(line)
        else line
        for line in text.splitlines()
    )
    return "\n".join(lines)


def is_key(line: str) -> bool:
    return line.startswith("# ") and line.endswith(":") and " " not in line[2:]


def test_every_example_of_the_template_is_valid(cli: Cli) -> None:
    """The commented sections of the template can be switched on."""
    text = uncommented(cli("contract", "new").stdout)
    assert "\nexecution:\n" in text
    assert "\ncriteria:\n" in text
    (cli.folder / "all.yaml").write_text(
        text.replace("  - name: my_validator\n    args: {limit: 3}", "  - completion")
    )
    done = cli("contract", "check", "all.yaml")
    assert done.returncode == 0, done.stderr


ACCEPTED: list[dict[str, Any]] = [
    {"task_id": "x", "validators": ["completion"]},
    {"task_id": "x", "validators": ["completion"], "version": 2},
    {
        "task_id": "x",
        "validators": ["completion", {"name": "required_fields", "gate": False}],
    },
    {
        "task_id": "x",
        "sop": {
            "rules": [
                {
                    "id": "a",
                    "template": "precedence",
                    "first": "find",
                    "then": {"tool": "book"},
                }
            ]
        },
    },
    {
        "task_id": "x",
        "execution": {
            "expected": [
                {
                    "kind": "pay",
                    "target": "a",
                    "parameters": {"amount": {"le": 3}, "n": 1},
                }
            ]
        },
    },
    {"task_id": "x", "state": {"expected": [{"path": "/a", "match": [1, 2]}]}},
    {
        "task_id": "x",
        "criteria": [{"id": "a", "question": "Is it so?", "pass_if": False}],
    },
    {"task_id": "x", "validators": ["completion"], "budget": {"ceiling": 0.5}},
    {
        "task_id": "x",
        "validators": ["completion"],
        "budget": {"ceiling": {"amount": "0.5", "currency": "EUR"}},
    },
]


@pytest.mark.parametrize("contract", ACCEPTED, ids=str)
def test_schema_accepts_what_the_reader_accepts(
    cli: Cli, contract: dict[str, Any]
) -> None:
    cli.write("contract.json", contract)
    assert cli("contract", "check", "contract.json").returncode == 0
    jsonschema_rs.validator_for(contract_schema()).validate(contract)


@pytest.mark.parametrize(
    "contract",
    [{}, {"task_id": "x", "foo": 1}, {"task_id": "x", "criteria": [{"id": "a"}]}],
    ids=str,
)
def test_schema_rejects_what_the_reader_rejects(
    cli: Cli, contract: dict[str, Any]
) -> None:
    cli.write("contract.json", contract)
    assert cli("contract", "check", "contract.json").returncode == 2
    assert not jsonschema_rs.validator_for(contract_schema()).is_valid(contract)


def test_schema_on_stdout(cli: Cli) -> None:
    schema = json.loads(cli("contract", "schema").stdout)
    assert schema == contract_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "judgemesh eval contract"


def test_doctor(cli: Cli) -> None:
    done = cli("doctor", "--json", OPENAI_API_KEY="sk-secret-of-the-test")
    data = json.loads(done.stdout)
    checks = {check["name"]: check for check in data["checks"]}
    assert checks["python"]["ok"]
    assert checks["litellm"]["ok"]
    assert "not created yet" in checks["ledger"]["found"]
    assert checks["API keys"]["found"] == "set: OPENAI_API_KEY"
    assert "secret" not in done.stdout + done.stderr
    assert data["ok"] == all(check["ok"] for check in data["checks"])
    assert done.returncode == (0 if data["ok"] else 1)
    assert not (cli.folder / ".judgemesh").exists()
    assert "python" in cli("doctor").stdout


def test_doctor_finds_faults(cli: Cli) -> None:
    cli.write("ledger.db", "this is no database")
    done = cli("doctor", "--json", "--ledger", "ledger.db")
    assert done.returncode == 1
    ledger = next(
        check
        for check in json.loads(done.stdout)["checks"]
        if check["name"] == "ledger"
    )
    assert ledger["ok"] is False


def test_doctor_looks_at_a_ledger(cli: Cli) -> None:
    cli.write("results.jsonl", {"result_id": "r", "task_id": "trip"})
    cli("grade", "results.jsonl", "-c", "contracts.yaml")
    found = json.loads(cli("doctor", "--json").stdout)
    ledger = next(check for check in found["checks"] if check["name"] == "ledger")
    assert ledger["ok"]
    assert "schema version" in ledger["found"]
    assert "can be written" in ledger["found"]


def test_help_is_light(cli: Cli) -> None:
    """No heavy library is loaded for the help of any command."""
    script = "import sys; from judgemesh.mesh.cli.app import app; import typer.main; typer.main.get_command(app); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env=cli.env,
        check=True,
    )
    assert HEAVY.isdisjoint(done.stdout.split())


def test_help_is_fast(cli: Cli) -> None:
    """The best of some starts, in CPU time: 200 ms is the promise."""
    assert min(cpu_s([cli.command, "--help"], cli) for _ in range(7)) < 0.2


def cpu_s(command: list[str], cli: Cli) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, env=cli.env, cwd=cli.folder, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_version(cli: Cli) -> None:
    assert cli("--version").stdout == f"judgemesh {VERSION}\n"
