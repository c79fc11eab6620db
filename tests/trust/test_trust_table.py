"""Each line of the table in docs/trust.md, through the installed command: without a judge, with an agreeable one that
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


def grade(line: Line, folder: Path, judge: tuple[str, ...]) -> dict[str, str]:
    """The gates of a line's results by name, as the command writes them."""
    contract = {"task_id": "t", **line.contract}
    (folder / "contract.json").write_text(json.dumps(contract))
    for name, text in line.files.items():
        (folder / name).write_text(text)
    rows: list[str] = []
    for name, (result, _) in line.results.items():
        rows.append(json.dumps({"result_id": name, "task_id": "t", **result}) + "\n")
    (folder / "results.jsonl").write_text("".join(rows))
    command = shutil.which("judgemesh", path=str(Path(sys.executable).parent))
    assert command is not None
    done = subprocess.run(
        [
            command,
            "grade",
            "results.jsonl",
            "--contracts",
            "contract.json",
            "-o",
            "out.jsonl",
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
    reports = [
        json.loads(text) for text in (folder / "out.jsonl").read_text().splitlines()
    ]
    return {report["result_id"]: report["gate"] for report in reports}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("line", LINES, ids=lambda line: line.id)
def test_a_line_of_the_table(
    line: Line, mode: str, tmp_path: Path, servers: dict[str, str]
) -> None:
    judge: tuple[str, ...] = ()
    if mode != "none":
        judge = (*JUDGE, "--judge-api-base", servers[mode])
    gates = grade(line, tmp_path, judge)
    for name, (_, expected) in line.results.items():
        wanted = expected[MODES.index(mode)]
        if wanted == "not pass":
            assert gates[name] != "pass", name
        elif wanted != "any":
            assert gates[name] == wanted, name


def test_the_page_has_these_lines() -> None:
    page = (ROOT / "docs" / "trust.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [
        line.id for line in LINES
    ]
