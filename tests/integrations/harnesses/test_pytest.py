"""pytest runs a user's tests with the plug-in; what it shows is compared with the ledger."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import desk
import pytest

TESTS = """
import sys
sys.path.insert(0, HERE)
import desk, pytest

pytestmark = pytest.mark.judgemesh(task="refund")

@pytest.mark.parametrize("case", list(desk.GATES))
def test_refund(judgemesh, case):
    judgemesh.check(desk.messages(case), result_id=case)
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_its_report_says_what_the_ledger_says(
    refund_desk: desk.Desk, workers: str
) -> None:
    folder = refund_desk.folder
    text = TESTS.replace("HERE", repr(str(Path(desk.__file__).parent)))
    (folder / "test_refunds.py").write_text(text, encoding="utf-8")
    output = run_pytest(refund_desk, "-n", workers)
    ledger = refund_desk.ledger()
    assert "4 failed, 4 passed, 2 skipped, 1 error" in output
    [suite] = ET.parse(folder / "out.xml").getroot()  # noqa: S314 (written by pytest)
    shown: dict[str, list[ET.Element]] = {}
    for case in suite.iter("testcase"):
        name = case.attrib["name"].partition("[")[2].rstrip("]")
        shown.setdefault(name, []).append(case)
    assert shown.keys() == ledger.keys()
    for name, cases in shown.items():
        report = ledger[name]
        kinds = {child.tag for case in cases for child in case} - {"properties"}
        expected = {"pass": set(), "fail": {"failure"}, "undecided": {"skipped"}}
        errors = {"error"} if name == "broken-1" else set()
        assert kinds == expected[report["gate"]] | errors
        for failure in (found for case in cases for found in case.iter("failure")):
            assert all(code in failure.text for code in report["failure_reason_codes"])
            assert report["run_id"] in failure.text
        for skip in (found for case in cases for found in case.iter("skipped")):
            assert skip.attrib["message"].startswith("judgemesh undecided")
        for error in (found for case in cases for found in case.iter("error")):
            (told,) = str(error.text).splitlines()
            assert told.startswith("the evaluator broke, undecided")
            assert told.count("the model is on fire") == 1


def test_a_misspelt_name_of_the_marker_is_named(refund_desk: desk.Desk) -> None:
    text = TESTS.replace("HERE", repr(str(Path(desk.__file__).parent)))
    (refund_desk.folder / "test_refunds.py").write_text(
        text.replace("task=", "taks="), encoding="utf-8"
    )
    output = run_pytest(refund_desk)
    assert "unknown setting 'taks' (did you mean 'task'?)" in output


def test_contracts_that_are_not_there_are_one_line(refund_desk: desk.Desk) -> None:
    text = TESTS.replace("HERE", repr(str(Path(desk.__file__).parent)))
    text = text.replace('task="refund"', 'task="refund", contracts="nowhere.yaml"')
    (refund_desk.folder / "test_refunds.py").write_text(text, encoding="utf-8")
    output = run_pytest(refund_desk, "-k", "broken-1")
    line = "judgemesh cannot grade: nowhere.yaml: cannot be read: No such file or directory"
    assert line in output.splitlines()
    assert "contract_files.py" not in output


def run_pytest(refund_desk: desk.Desk, *options: str) -> str:
    # The plug-in is found by its entry point, as for a user; the plug-ins of the other packages stay out.
    others = (
        "deepeval",
        "opik",
        "langsmith_plugin",
        "phoenix",
        "rerunfailures",
        "repeat",
    )
    refund_desk.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = ""
    blocked = [part for name in others for part in ("-p", f"no:{name}")]
    return refund_desk.run(
        *(sys.executable, "-m", "pytest", "-q", "--junit-xml=out.xml"),
        *(*blocked, "-p", "no:cacheprovider", *options, "test_refunds.py"),
        ok=(1,),
    )


LIGHT = ["judgemesh.contracts", "judgemesh.contracts.version", "judgemesh.mesh"]


def test_the_plug_in_costs_nothing_until_it_is_used(tmp_path: Path) -> None:
    """Start-up with and without it, and what it imports: under 20 ms, and none of judgemesh's engine."""
    script = (
        "import sys, time, pytest\n"
        "begin = time.perf_counter()\n"
        "import judgemesh.mesh.integrations.pytest_plugin\n"
        "took = time.perf_counter() - begin\n"
        "heavy = [name for name in sys.modules if name.startswith('judgemesh.') and 'integrations' not in name]\n"
        "import json; print(json.dumps([took, heavy, 'pydantic' in sys.modules]))\n"
    )
    took: list[float] = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, check=True
        )
        seconds, heavy, pydantic = json.loads(done.stdout)
        took.append(seconds)
        assert (heavy, pydantic) == (LIGHT, False)
    assert min(took) < 0.020, took
