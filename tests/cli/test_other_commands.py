"""`validators`, `contract`, `doctor`, `--help`: and what it costs to start."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
import typer

from judgemesh.contracts.codes import CODES, FailureCode
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.cli.app import COMMANDS, app
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


def test_the_help_of_every_command_looks_alike(cli: Cli) -> None:
    group: Any = typer.main.get_command(app)
    pages: list[tuple[str, ...]] = []
    for name in COMMANDS:
        inner = getattr(group.get_command(None, name), "commands", {})
        pages += [(name,), *((name, sub) for sub in inner)]
    for page in pages:
        shown = cli(*page, "--help").stdout
        assert shown.startswith(f"Usage: judgemesh {' '.join(page)}"), page


def test_the_output_in_a_folder_of_transcripts_is_none_of_them(cli: Cli) -> None:
    messages = [
        {"role": "user", "content": "a ticket"},
        {"role": "assistant", "content": "RT-1"},
    ]
    (cli.folder / "logs").mkdir()
    cli.write("logs/chat.json", {"messages": messages})
    for _ in range(2):
        done = cli("convert", "logs", "--task", "t", "-o", "logs/results.jsonl")
        assert done.returncode == 0
        assert done.stderr.startswith("converted 1 conversation ")
    assert len((cli.folder / "logs/results.jsonl").read_text().splitlines()) == 1


def test_a_task_that_is_nearly_that_of_a_contract_is_named(cli: Cli) -> None:
    cli.write("near.jsonl", {"result_id": "r", "task_id": "tripp", "output": "x"})
    done = cli("grade", "near.jsonl", "-c", "contracts.yaml")
    assert "no contract has the task_id 'tripp'; did you mean 'trip'?" in done.stdout


def test_markdown_and_rate_have_one_interval_over_tasks(cli: Cli) -> None:
    """Five runs of each of eight tasks, of which three always fail."""
    contracts = [
        f"task_id: t{task}\nsuccess_criteria: {{must_include: [total]}}\n"
        for task in range(8)
    ]
    cli.write("many.yaml", "---\n".join(contracts))
    rows = [
        {"result_id": f"t{task}-{run}", "task_id": f"t{task}", "output": output}
        for task in range(8)
        for run in range(5)
        for output in ["total: 7" if task < 5 else "nothing"]
    ]
    cli.write("many.jsonl", *rows)
    cli("grade", "many.jsonl", "-c", "many.yaml", "-o", "s.md")
    found = json.loads(cli("asr", "--json").stdout)
    low, high = found["ci"]["low"], found["ci"]["high"]
    # Clopper and Pearson's interval of 5 of 8, not that of 25 of 40.
    assert (round(low, 2), round(high, 2)) == (0.24, 0.91)
    line = (
        f"Task success rate 0.625, 95% interval {low:.3f} to {high:.3f} (8 tasks as units), "
        "undecided results counted as not passed."
    )
    assert line in (cli.folder / "s.md").read_text()
