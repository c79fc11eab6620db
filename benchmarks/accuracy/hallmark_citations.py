"""How well citations are checked against a closed catalogue.

    python benchmarks/accuracy/hallmark_citations.py --data FOLDER

Reads `catalogue_dblp.jsonl` (true records, the only source) and every other `*.jsonl` whose rows have `fields` and a
`gold` of VALID or HALLUCINATED, makes one agent result and one citation of each row, and takes them through
`judgemesh grade`. Prints one JSON line:

decidable: rows that the catalogue can decide: made from a true record by changing it (`method` is `perturbation` and
    the gold HALLUCINATED), or VALID with a title that the catalogue has.
detection_rate: share of the changed ones that fail. false_positive_rate: share of those valid ones that do not pass.
missing_called_fabricated: VALID rows whose title the catalogue lacks, failed as FABRICATED_REFERENCE (they should be
    CITATION_NOT_FOUND).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

Json = dict[str, Any]

CATALOGUE = "catalogue_dblp.jsonl"
GRADED = (0, 1)
"""Exit codes of a complete grading: every gate passed, or some did not."""


@dataclass(frozen=True)
class Row:
    """One labelled entry."""

    result_id: str
    fields: Json
    gold: str
    method: str


def labelled(folder: Path) -> Iterator[Row]:
    """Every labelled entry of the folder's files."""
    for path in sorted(folder.glob("*.jsonl")):
        if path.name == CATALOGUE:
            continue
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                row = _read(line)
                if isinstance(row.get("fields"), dict) and "gold" in row:
                    gold, method = (
                        str(row["gold"]).upper(),
                        str(row.get("method") or ""),
                    )
                    yield Row(f"{path.stem}:{number}", row["fields"], gold, method)


def _read(line: str) -> Json:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("Json", row) if isinstance(row, dict) else {}


def title_key(title: object) -> str:
    """A title without case, accents and punctuation: which valid rows the catalogue can decide."""
    plain = unicodedata.normalize("NFKD", str(title)).encode("ascii", "ignore").decode()
    return " ".join(re.findall(r"[a-z0-9]+", plain.casefold()))


def grade(rows: list[Row], catalogue: Path, folder: Path) -> dict[str, Json]:
    """One report for each row, by its result id."""
    contract = {
        "task_id": "citations",
        "task_name": "Every citation stands in the catalogue as cited",
        "evidence": {
            "sources": [{"type": "jsonl", "path": str(catalogue.resolve())}],
            "text": False,
        },
    }
    (folder / "contract.yaml").write_text(json.dumps(contract), encoding="utf-8")
    with (folder / "results.jsonl").open("w", encoding="utf-8") as results:
        for row in rows:
            output = {"final_answer": "See the citation.", "citations": [row.fields]}
            results.write(
                json.dumps(
                    {
                        "result_id": row.result_id,
                        "task_id": "citations",
                        "output": output,
                    }
                )
                + "\n"
            )
    done = subprocess.run(
        [
            *(
                _judgemesh(),
                "grade",
                str(folder / "results.jsonl"),
                "--contracts",
                str(folder / "contract.yaml"),
            ),
            *(
                "--ledger",
                f"sqlite:///{folder / 'ledger.db'}",
                "-o",
                str(folder / "reports.jsonl"),
            ),
            *("--no-progress", "--quiet"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in GRADED:
        _note(f"{done.stdout}\n{done.stderr}".strip())
        message = f"judgemesh grade ended with exit code {done.returncode}"
        raise SystemExit(message)
    with (folder / "reports.jsonl").open(encoding="utf-8") as lines:
        return {report["result_id"]: report for report in map(json.loads, lines)}


def tally(rows: list[Row], reports: dict[str, Json], titles: set[str]) -> Json:
    """The figures."""
    changed = [
        row
        for row in rows
        if row.gold == "HALLUCINATED" and row.method == "perturbation"
    ]
    valid = [row for row in rows if row.gold == "VALID"]
    held = [row for row in valid if title_key(row.fields.get("title")) in titles]
    lacking = [row for row in valid if title_key(row.fields.get("title")) not in titles]
    detected = sum(reports[row.result_id]["gate"] == "fail" for row in changed)
    wrong = sum(reports[row.result_id]["gate"] != "pass" for row in held)
    fabricated = sum(
        "FABRICATED_REFERENCE" in reports[row.result_id]["failure_reason_codes"]
        for row in lacking
    )
    return {
        "decidable": len(changed) + len(held),
        "detection_rate": _share(detected, len(changed)),
        "false_positive_rate": _share(wrong, len(held)),
        "missing_called_fabricated": fabricated,
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _judgemesh() -> str:
    """The installed command: beside this Python first, then on the path."""
    beside = Path(sys.executable).with_name("judgemesh")
    found = str(beside) if beside.is_file() else shutil.which("judgemesh")
    if found is None:
        message = "the command `judgemesh` is not installed; `pip install -e .` at the repository's root installs it"
        raise SystemExit(message)
    return found


def _note(text: str) -> None:
    print(text, file=sys.stderr)


def main() -> int:
    """Run the benchmark; exit code 2 when the folder has not the files."""
    parser = argparse.ArgumentParser(
        description="Detection of changed citations against a closed catalogue."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args().data
    catalogue = folder / CATALOGUE
    rows = list(labelled(folder))
    if not catalogue.is_file() or not rows:
        _note(
            f"{folder}: expected {CATALOGUE} and at least one other *.jsonl file with labelled entries"
        )
        return 2
    with catalogue.open(encoding="utf-8") as lines:
        titles = {
            title_key(json.loads(line)["fields"]["title"])
            for line in lines
            if line.strip()
        }
    with tempfile.TemporaryDirectory(prefix="hallmark_") as scratch:
        reports = grade(rows, catalogue, Path(scratch))
    print(json.dumps(tally(rows, reports, titles)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
