"""Each line of the table of trust.md, through the installed command: without a judge, with an agreeable one that
says yes to everything, and with an adversarial one that says no."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from .trust_table import LINES, Line

ROOT = Path(__file__).resolve().parents[2]
JUDGE = ("--judge", "openai-compatible:gpt-4.1-mini", "--votes", "single")
MODES = ("none", "agreeable", "adversarial")
SAYS = {"agreeable": "yes", "adversarial": "no"}


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """The addresses of two judges, each a server in a process of its own."""
    module = "judgemesh.mesh.testing.fake_provider"
    addresses: dict[str, str] = {}
    with ExitStack() as stack:
        for mode, word in SAYS.items():
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", module, "--port", "0", "--always", word],
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            stack.callback(process.terminate)
            assert process.stdout is not None
            addresses[mode] = process.stdout.readline().strip()
        yield addresses


Gates = dict[str, dict[str, str]]
"""The gates by mode and by `line/result`."""


@pytest.fixture(scope="module")
def gates(servers: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Gates:
    """The gates of all results of all lines, graded by one command for each mode."""
    root = tmp_path_factory.mktemp("table")
    for line in LINES:
        write(line, root / line.id)
    gates: Gates = {}
    for mode in MODES:
        judge: tuple[str, ...] = ()
        if mode in servers:
            judge = (*JUDGE, "--judge-api-base", servers[mode])
        gates[mode] = grade(root, f"{mode}.jsonl", judge)
    return gates


def write(line: Line, folder: Path) -> None:
    """A folder with the contract, the files and the results of a line."""
    folder.mkdir()
    contract = {**line.contract, "task_id": line.id}
    (folder / "contract.json").write_text(json.dumps(contract))
    for name, text in line.files.items():
        (folder / name).write_text(text)
    rows: list[str] = []
    for name, (result, _) in line.results.items():
        ids = {"result_id": f"{line.id}/{name}", "task_id": line.id}
        rows.append(json.dumps({**result, **ids}) + "\n")
    (folder / "results.jsonl").write_text("".join(rows))


def grade(folder: Path, reports: str, judge: tuple[str, ...]) -> dict[str, str]:
    """The gates of all results by id, as the command writes them."""
    command = shutil.which("judgemesh", path=str(Path(sys.executable).parent))
    assert command is not None
    contracts: list[str] = []
    for line in LINES:
        contracts += ["--contracts", f"{line.id}/contract.json"]
    done = subprocess.run(
        [
            command,
            "grade",
            *(f"{line.id}/results.jsonl" for line in LINES),
            *contracts,
            "-o",
            reports,
            "-q",
            *judge,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    rows = map(json.loads, (folder / reports).read_text().splitlines())
    return {report["result_id"]: report["gate"] for report in rows}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("line", LINES, ids=lambda line: line.id)
def test_a_line_of_the_table(line: Line, mode: str, gates: Gates) -> None:
    for name, (_, expected) in line.results.items():
        gate = gates[mode][f"{line.id}/{name}"]
        wanted = expected[MODES.index(mode)]
        if wanted == "not pass":
            assert gate != "pass", name
        elif wanted != "any":
            assert gate == wanted, name


def test_the_page_has_these_lines() -> None:
    page = (ROOT / "docs/explanation/trust.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [
        line.id for line in LINES
    ]
