"""Plug-ins of a newcomer through the command: what a report says about a mistake, and whose output stdout is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import Cli, ResultOf

CHECKS = """
from judgemesh.contracts.verdicts import Fail, Pass

print("imported")

def prints(case):
    print("at work")
    return True

def subscripts(case):
    return case.result.output["answer"]

def mixes(case):
    return [Pass(), "no"]

def invents(case):
    return Fail(codes=("WRONG_FACTS",))
"""
SOURCES = """
from judgemesh.contracts.needs import Found, NotFound

class Pages:
    remote = False
    def __init__(self, options, base_dir):
        self.options = options
    async def lookup(self, need):
        if "POL-7" in str(need.query):
            return Found(ref="POL-7", source="pages", fields={"text": "Leave is 25 days."})
        return NotFound(source="pages", authoritative=False)
    async def aclose(self):
        pass

class Answers(Pages):
    async def lookup(self, need):
        return {"id": "POL-7"}

class Blocking(Pages):
    def lookup(self, need):
        return NotFound(source="pages", authoritative=False)

class Breaks(Pages):
    async def lookup(self, need):
        return {}["page"]

class Opens(Pages):
    def __init__(self, options, base_dir):
        raise ValueError("set PAGES_TOKEN")

def function(options, base_dir):
    return None
"""
NAMES = ("prints", "subscripts", "mixes", "invents")


@pytest.fixture
def plugged(cli: Cli, tmp_path: Path, make: ResultOf) -> Cli:
    """The command with a plug-in of four validators, and one result."""
    info = tmp_path / "site" / "newcomer-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: newcomer\nVersion: 1.0\n"
    )
    points = [f"{name} = newcomer_checks:{name}" for name in NAMES]
    sources = [
        f"{name.lower()} = newcomer_sources:{name}"
        for name in ("Pages", "Answers", "Blocking", "Breaks", "Opens", "function")
    ]
    groups = ["[judgemesh.validators]", *points]
    groups += ["[judgemesh.evidence_sources]", *sources, ""]
    (info / "entry_points.txt").write_text("\n".join(groups))
    (tmp_path / "site" / "newcomer_sources.py").write_text(SOURCES)
    (tmp_path / "site" / "newcomer_checks.py").write_text(CHECKS)
    cli.write("results.jsonl", make("r"))
    return cli


def grade(cli: Cli, validator: str, *options: str) -> tuple[int, str]:
    return grade_by(cli, f"validators: [{validator}]", *options)


def grade_by(cli: Cli, section: str, *options: str) -> tuple[int, str]:
    cli.write("contract.yaml", f"task_id: trip\n{section}")
    done = cli.process(
        *("grade", "results.jsonl", "-c", "contract.yaml", "--no-resume", *options),
        PYTHONPATH=f"{cli.folder / 'site'}:{cli.env.get('PYTHONPATH', '')}",
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_a_plug_in_prints_is_no_part_of_the_output(
    plugged: Cli, workers: str
) -> None:
    code, output = grade(plugged, "prints", "--json", "--workers", workers)
    printed, _, summary = output.partition("{")
    assert (code, printed) == (0, "")
    found, _ = json.JSONDecoder().raw_decode("{" + summary)
    assert found["passed"] == 1


@pytest.mark.parametrize(
    ("validator", "words"),
    [
        ("subscripts", "is not subscriptable (newcomer_checks.py line 11)"),
        ("mixes", "returned list with str in it; expected a verdict"),
        ("invents", "'WRONG_FACTS' is no failure code"),
    ],
)
def test_a_mistake_is_an_evaluator_error_that_says_where(
    plugged: Cli, validator: str, words: str
) -> None:
    code, output = grade(plugged, validator, "--plain")
    assert (code, "EVALUATOR_FAILURE" in output) == (3, True)
    assert words in output


@pytest.mark.parametrize(
    ("source", "expected", "words"),
    [
        ("pages", 0, "1 gate passed"),
        ("answers", 3, "source answers: TypeError: `lookup` returned dict; expected"),
        ("blocking", 3, "source blocking: TypeError: `lookup` is no `async def`"),
        ("breaks", 3, "source breaks: KeyError: 'page' (newcomer_sources.py line 25)"),
        ("opens", 3, "source opens: ValueError: set PAGES_TOKEN"),
        ("function", 2, "newcomer_sources:function is no evidence source"),
    ],
)
def test_a_mistake_of_a_source_names_it_and_says_what_is_expected(
    plugged: Cli, source: str, expected: int, words: str
) -> None:
    output = {"final_answer": "Leave is 25 days [POL-7].", "citations": ["POL-7"]}
    plugged.write(
        "results.jsonl", {"result_id": "r", "task_id": "trip", "output": output}
    )
    section = f"evidence: {{sources: [{{type: {source}}}]}}"
    code, printed = grade_by(plugged, section, "--plain")
    assert (code, words in printed) == (expected, True), printed
