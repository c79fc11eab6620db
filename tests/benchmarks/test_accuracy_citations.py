"""The accuracy benchmark of citations: on rows written here, and on the recorded data."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "hallmark_citations"
TRUE = {
    "title": "Foxes and Dogs at Sample in Winter",
    "author": "Ann Fox 0001 and Bob Dog",
    "year": "2020",
    "booktitle": "ICML",
}


def measured(folder: Path) -> dict[str, Any]:
    """What the benchmark prints: one line."""
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "accuracy" / "hallmark_citations.py"),
        "--data",
        str(folder),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def row(gold: str, method: str, **changes: str) -> str:
    fields = {**TRUE, "author": "Ann Fox and Bob Dog", **changes}
    return (
        json.dumps({"key": "k", "fields": fields, "gold": gold, "method": method})
        + "\n"
    )


def test_every_row_of_every_file_is_counted(tmp_path: Path) -> None:
    (tmp_path / "catalogue_dblp.jsonl").write_text(
        json.dumps({"key": "k", "fields": TRUE}) + "\n"
    )
    (tmp_path / "one.jsonl").write_text(
        "no JSON\n"
        + row("VALID", "scraped")
        + row("VALID", "scraped", year="2019")
        + row(
            "VALID", "scraped", title="A Sample of Which the Catalogue Has Never Heard"
        )
        + row(
            "HALLUCINATED",
            "llm_generated",
            title="Nor of This One, Which Does Not Exist",
        )
    )
    (tmp_path / "two.jsonl").write_text(
        row("HALLUCINATED", "perturbation", author="Zoe Zebra")
        + row("HALLUCINATED", "perturbation", booktitle="Symposium on Fox Scaling")
        + row("HALLUCINATED", "perturbation", year="2031")
        + row("HALLUCINATED", "perturbation")
    )
    assert measured(tmp_path) == {
        "decidable": 6,
        "detection_rate": 0.75,
        "false_positive_rate": 0.5,
        "missing_called_fabricated": 0,
    }


@pytest.mark.data
@pytest.mark.skipif(
    not DATA.is_dir(), reason="the recorded data set is not beside the repository"
)
def test_the_figures_on_the_recorded_data() -> None:
    found = measured(DATA)
    assert found["decidable"] == 864
    assert found["detection_rate"] >= 0.95
    assert found["false_positive_rate"] <= 0.01
    assert found["missing_called_fabricated"] == 0
