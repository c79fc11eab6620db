"""What the README and the pages under docs/ show, works: Python runs, commands end with the code they state, YAML and
JSON samples are valid contracts and results, SQL runs on a real ledger, links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from judgemesh.mesh.grading.contract_check.check import load_contracts
from judgemesh.mesh.inputs.results import parse_result

from .pages import PAGES, ROOT, Block, blocks, commands, environment, run

_LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)[^)]*\)")
_NOT_HERE = ("make ", "git ", "pip ", "python benchmarks/")
"""Set-up and measurements: the first three are run by the continuous integration itself, the last by its own tests."""


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder with what a fresh clone has for its user: the examples and the README."""
    shutil.copytree(
        ROOT / "examples",
        tmp_path / "examples",
        ignore=shutil.ignore_patterns("__pycache__", ".judgemesh"),
    )
    return tmp_path


def _own(command: str) -> bool:
    return not command.startswith(_NOT_HERE)


def test_there_is_something_to_test() -> None:
    assert len(blocks("console")) >= 3
    assert len(blocks("python")) >= 2
    assert len(blocks("yaml")) >= 10


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_runs(block: Block, workplace: Path) -> None:
    script = workplace / "block.py"
    script.write_text(block.text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        cwd=workplace,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "block",
    [block for block in blocks("console") if any(map(_own, commands(block)))],
    ids=str,
)
def test_commands_end_as_stated(block: Block, workplace: Path) -> None:
    own = [command for command in commands(block) if _own(command)]
    for command in own:
        done = run(command, workplace)
        expected = block.exit_code if command == own[-1] else 0
        assert done.returncode == expected, f"{command}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_yaml_is_a_contract(block: Block, tmp_path: Path) -> None:
    """A fragment is a contract that only lacks its task id."""
    text = (
        block.text
        if re.search(r"^task_id:", block.text, re.MULTILINE)
        else f"task_id: sample\n{block.text}"
    )
    file = tmp_path / "sample.yaml"
    file.write_text(text, encoding="utf-8")
    assert load_contracts([file]).contracts


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_is_a_result(block: Block) -> None:
    assert parse_result(json.dumps(json.loads(block.text)).encode()).result_id


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of a graded demo."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(ROOT / "examples/support_desk", folder / "desk")
    command = (
        "judgemesh grade desk/results.jsonl --contracts desk/contracts.yaml --judge replay:desk/judge.jsonl"
        " --ledger sqlite:///ledger.db --fail-under 0 --quiet"
    )
    done = run(command, folder)
    assert done.returncode == 0, done.stderr
    return folder / "ledger.db"


@pytest.mark.parametrize("block", blocks("sql"), ids=str)
def test_sql_runs_on_the_ledger(block: Block, graded: Path) -> None:
    connection = sqlite3.connect(graded)
    try:
        rows = connection.execute(block.text).fetchall()
    finally:
        connection.close()
    assert rows or "no-rows" in block.options


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    broken = [link for link in _LINK.findall(text) if not (page.parent / link).exists()]
    assert not broken


def test_the_readme_shows_what_the_demo_prints(workplace: Path) -> None:
    """`make demo`, without its set-up; only the run's id and the seconds may differ."""
    (shown,) = [block for block in blocks("text") if "demo" in block.options]
    recipe = re.search(
        r"^demo:.*\n((?:\t.*\n)+)",
        (ROOT / "Makefile").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert recipe is not None
    done = run(
        recipe[1].replace("\\\n", " ").replace("$(BIN)/", ""), workplace, COLUMNS="100"
    )
    assert done.returncode == 0, done.stderr
    assert _settled(done.stdout.rstrip() + "\n" + done.stderr) == _settled(shown.text)


def _settled(text: str) -> list[str]:
    return [
        re.sub(r"^Run run_\w+ .*", "Run", line.rstrip())
        for line in text.strip().splitlines()
    ]


def test_the_page_of_failure_codes_is_current() -> None:
    done = run(
        f"{shlex.quote(sys.executable)} docs/generate.py --check",
        ROOT,
        PYTHONPATH="docs",
    )
    assert done.returncode == 0, done.stdout
