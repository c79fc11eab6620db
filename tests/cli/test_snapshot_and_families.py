"""`judgemesh snapshot` from before a run to its grade, and the contracts that `contract new` starts from."""

from __future__ import annotations

import json
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest

from judgemesh.mesh.grading.contract_check.check import load_contracts

from .conftest import Cli

CEILINGS = {
    "research": "2.00",
    "triage": "0.10",
    "code_review": "0.50",
    "extraction": "0.25",
    "drafting": "0.50",
    "scheduling": "0.15",
}
CONTRACT = """
task_id: report
success_criteria: {execution_result: {required: true}}
state:
  documents: [{path: /out/report.md, headings: [Findings]}]
  expected: [{path: /tables/jobs/1/state, after: done}]
"""


@pytest.mark.parametrize("family", sorted(CEILINGS))
def test_each_family_has_a_contract_to_start_from(family: str, cli: Cli) -> None:
    assert cli("contract", "new", "--family", family, "-o", "c.yaml").returncode == 0
    checked = cli("contract", "check", "c.yaml", "--json")
    assert checked.returncode == 0
    found = json.loads(checked.stdout)
    (table,) = found.pop("tables")
    assert found.pop("results") == []
    assert found == {"ok": True, "contracts": 1, "problems": [], "warnings": []}
    assert all(row["checks"] for row in table["coverage"])
    (loaded,) = load_contracts((cli.folder / "c.yaml",)).contracts
    assert loaded.contract.family == family
    assert loaded.contract.budget is not None
    assert loaded.contract.budget.ceiling is not None
    assert loaded.contract.budget.ceiling.amount == Decimal(CEILINGS[family])
    assert (cli.folder / "c.yaml").read_text().count("#") >= 5


def test_from_snapshots_to_a_grade(cli: Cli) -> None:
    out: Path = cli.folder / "work"
    out.mkdir()
    base = sqlite3.connect(cli.folder / "jobs.db")
    base.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT)")
    base.execute("INSERT INTO jobs VALUES (1, 'open')")
    base.commit()
    taken = cli(
        "snapshot",
        "before",
        "--dir",
        "out=work",
        "--sql",
        "sqlite:///jobs.db",
        "-o",
        "before.json",
    )
    assert taken.returncode == 0, taken.stderr
    (out / "report.md").write_text("# Report\n\n## Findings\n\nNone.\n")
    base.execute("UPDATE jobs SET state = 'done'")
    base.commit()
    base.close()
    assert cli("snapshot", "after", "before.json", "-o", "after.json").returncode == 0
    shown = cli("snapshot", "diff", "before.json", "after.json")
    assert shown.stdout.splitlines() == [
        "add /out/report.md",
        "replace /tables/jobs/1/state",
        "2 changes",
    ]
    changes = json.loads(
        cli("snapshot", "diff", "before.json", "after.json", "--json").stdout
    )
    paths = {"before_path": "before.json", "after_path": "after.json"}
    (cli.folder / "c.yaml").write_text(CONTRACT)
    states: dict[str, object] = {
        "files": paths,
        "diff": {"diff": changes},
        "nothing": {"diff": []},
    }
    results = [
        {"result_id": name, "task_id": "report", "output": "Done.", "state": state}
        for name, state in states.items()
    ]
    (cli.folder / "r.jsonl").write_text(
        "".join(json.dumps(result) + "\n" for result in results)
    )
    graded = cli(
        "grade", "r.jsonl", "--contracts", "c.yaml", "-o", "reports.jsonl", "--quiet"
    )
    assert graded.returncode == 1, graded.stderr
    gates = {
        report["result_id"]: report["gate"]
        for report in map(
            json.loads, (cli.folder / "reports.jsonl").read_text().splitlines()
        )
    }
    assert gates == {"files": "pass", "diff": "pass", "nothing": "fail"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("before", "-o", "x.json"), "nothing to take"),
        (
            ("before", "--dir", "a", "--dir", "b", "-o", "x.json"),
            "two sources are called 'files'",
        ),
        (("before", "--dir", "absent", "-o", "x.json"), "absent: no such folder"),
        (("before", "--dir", "w=absent", "-o", "x.json"), "absent: no such folder"),
        (("before", "--dir", "bad.json", "-o", "x.json"), "bad.json: is no folder"),
        (("before", "--sql", "nonsense", "-o", "x.json"), "no database URL"),
        (("before", "--doc", "bad.json", "-o", "x.json"), "no JSON document"),
        (("after", "none.json", "-o", "x.json"), "cannot be read"),
        (("after", "plain.json", "-o", "x.json"), "names no sources"),
        (("diff", "plain.json", "bad.json"), "no JSON document"),
    ],
)
def test_what_cannot_be_taken_is_one_line(
    arguments: tuple[str, ...], message: str, cli: Cli
) -> None:
    (cli.folder / "bad.json").write_text("{")
    (cli.folder / "plain.json").write_text("{}")
    for name in "ab":
        (cli.folder / name).mkdir()
    done = cli("snapshot", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (cli.folder / "x.json").exists()


def test_a_folder_that_the_agent_removed_is_a_state_after(cli: Cli) -> None:
    (cli.folder / "work").mkdir()
    cli.write("work/note.txt", "kept")
    assert cli("snapshot", "before", "--dir", "work", "-o", "a.json").returncode == 0
    (cli.folder / "work/note.txt").unlink()
    (cli.folder / "work").rmdir()
    assert cli("snapshot", "after", "a.json", "-o", "b.json").returncode == 0
    done = cli("snapshot", "diff", "a.json", "b.json")
    assert done.stdout.splitlines()[0].startswith("remove /files")


def test_a_snapshot_replaces_nothing_but_a_snapshot(cli: Cli) -> None:
    cli.write("data.json", '{"probe": "K-7"}')
    take = ("snapshot", "before", "--doc", "data.json", "-o")
    for name in ("data.json", "./data.json"):
        done = cli(*take, name)
        assert done.returncode == 2
        assert "is not replaced" in done.stderr
        assert (cli.folder / name).read_text().strip() == '{"probe": "K-7"}'
    for _ in range(2):
        assert cli(*take, "before.json").returncode == 0
    kept = (cli.folder / "before.json").read_bytes()
    done = cli("snapshot", "after", "before.json", "-o", "before.json")
    assert done.returncode == 2
    assert "would replace the snapshot before" in done.stderr
    assert (cli.folder / "before.json").read_bytes() == kept
