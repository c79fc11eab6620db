"""Documents after the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.verdicts import Abstain, Verdict
from judgemesh.mesh.state.snapshot import Directory, watch
from judgemesh.validators.documents import documents
from judgemesh.validators.state import state

from .helpers import codes, diagnostics, kinds, verdicts

REPORT = "# Report\n\n## Findings\n\nIt rained.\n\n| Day | Rain |\n| --- | --- |\n| Mon | 3 |\n"


def written(folder: Path, files: dict[str, str | bytes]) -> watch:
    """What a run that wrote these files left behind."""
    with watch(Directory(path=folder)) as seen:
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )
    return seen


def check(spec: dict[str, Any], evidence: dict[str, Any]) -> list[Verdict]:
    return verdicts(
        documents,
        {"state": {"documents": [spec]}},
        {"output": "done", "state": evidence},
    )


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, set[C]()),
        (
            {
                "format": "markdown",
                "headings": ["findings"],
                "tables": 1,
                "columns": ["rain", "Day"],
            },
            set[C](),
        ),
        ({"contains": ["it RAINED"], "min_chars": 20}, set[C]()),
        ({"path": "/files/out/none.md"}, {C.MISSING_REQUIRED_OUTPUT}),
        ({"headings": ["Method"]}, {C.OUTPUT_FORMAT_INVALID}),
        ({"tables": 2}, {C.OUTPUT_FORMAT_INVALID}),
        ({"columns": ["Rain", "Wind"]}, {C.OUTPUT_FORMAT_INVALID}),
        ({"format": "pdf"}, {C.OUTPUT_FORMAT_INVALID}),
        ({"contains": ["snow"]}, {C.EMPTY_OR_INVALID_OUTPUT}),
        (
            {"min_chars": 1_000, "tables": 2},
            {C.EMPTY_OR_INVALID_OUTPUT, C.OUTPUT_FORMAT_INVALID},
        ),
        ({"path": "/files/out/*.md"}, set[C]()),
        ({"path": "files/*/report.md"}, set[C]()),
    ],
)
@pytest.mark.parametrize("ready", [False, True], ids=["snapshots", "diff"])
def test_markdown(
    tmp_path: Path, spec: dict[str, Any], expected: set[C], ready: bool
) -> None:
    seen = written(tmp_path, {"out/report.md": REPORT})
    reported = check(
        {"path": "/files/out/report.md", **spec},
        {"diff": seen.diff} if ready else seen.state,
    )
    if ready and "none.md" in spec.get("path", ""):
        # A diff does not show what it does not touch.
        assert isinstance(reported[0], Abstain)
        return
    assert codes(reported) == expected, diagnostics(reported)
    assert kinds(reported) == (["fail"] * len(expected) or ["pass"])


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("r.docx", b"no zip", C.EMPTY_OR_INVALID_OUTPUT),
        ("r.pdf", b"%PDF", C.EMPTY_OR_INVALID_OUTPUT),
        ("r.json", b"{", C.EMPTY_OR_INVALID_OUTPUT),
        ("r.csv", b"a,b\n1\n", C.EMPTY_OR_INVALID_OUTPUT),
        ("r.md", b" \n", C.EMPTY_OR_INVALID_OUTPUT),
        ("r.md", b"\x00\xff", C.EMPTY_OR_INVALID_OUTPUT),
    ],
)
def test_what_does_not_open_or_says_nothing(
    tmp_path: Path, name: str, data: bytes, code: C
) -> None:
    assert codes(
        check({"path": f"/files/{name}"}, written(tmp_path, {name: data}).state)
    ) == {code}


def test_what_nobody_looked_at_is_undecided(tmp_path: Path) -> None:
    for evidence in (
        {"before": {}, "after": {"files": {"r.md": {"size": 6, "sha256": "ab"}}}},
        written(tmp_path, {"r.bin": "x"}).state,
        {
            "before": {},
            "after": {
                "files": {"r.md": {"document": {"opens": None, "error": "no library"}}}
            },
        },
    ):
        name = (
            "r.bin"
            if (tmp_path / "r.bin").exists() and "r.bin" in str(evidence)
            else "r.md"
        )
        (verdict,) = check({"path": f"/files/{name}"}, evidence)
        assert isinstance(verdict, Abstain)
        assert verdict.code is C.EVIDENCE_SOURCE_INACCESSIBLE
    (verdict,) = verdicts(
        documents, {"state": {"documents": [{"path": "/a"}]}}, {"output": "done"}
    )
    assert isinstance(verdict, Abstain)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (REPORT, set[C]()),
        ({"size": len(REPORT), "text": REPORT}, set[C]()),
        ({"text": "# Report\n"}, {C.OUTPUT_FORMAT_INVALID}),
        ({"size": 0}, {C.EMPTY_OR_INVALID_OUTPUT}),
        ({"text": " \n"}, {C.EMPTY_OR_INVALID_OUTPUT, C.OUTPUT_FORMAT_INVALID}),
        ("", {C.EMPTY_OR_INVALID_OUTPUT, C.OUTPUT_FORMAT_INVALID}),
        (None, {C.EMPTY_OR_INVALID_OUTPUT}),
        ("# Findings\n\nTODO\n", {C.EMPTY_OR_INVALID_OUTPUT}),
        ({"unreadable": "Permission denied"}, {C.EMPTY_OR_INVALID_OUTPUT}),
    ],
)
def test_the_text_alone_is_enough(entry: object, expected: set[C]) -> None:
    spec = {"path": "/files/r.md", "headings": ["Findings"]}
    evidence: dict[str, Any] = {
        "before": {"files": {}},
        "after": {"files": {"r.md": entry}},
    }
    assert codes(check(spec, evidence)) == expected


def test_a_part_of_the_text_decides_nothing() -> None:
    entry = {"size": 90_000, "text": "# Report"}
    evidence: dict[str, Any] = {
        "before": {"files": {}},
        "after": {"files": {"r.md": entry}},
    }
    assert kinds(check({"path": "/files/r.md"}, evidence)) == ["abstain"]


def test_a_removed_document_is_missing(tmp_path: Path) -> None:
    (tmp_path / "r.md").write_text(REPORT)
    with watch(Directory(path=tmp_path)) as seen:
        (tmp_path / "r.md").unlink()
    for evidence in (seen.state, {"diff": seen.diff}):
        assert codes(check({"path": "/files/r.md"}, evidence)) == {
            C.MISSING_REQUIRED_OUTPUT
        }


def test_the_row_of_a_document_has_all_four_scores(tmp_path: Path) -> None:
    seen = written(tmp_path, {"out/report.md": REPORT, "out/stray.txt": "x"})
    spec = {
        "expected": [
            {"path": "/files/out/report.md", "op": "add", "match": {"any": True}}
        ],
        "documents": [
            {
                "path": "/files/out/report.md",
                "headings": ["Findings", "Method"],
                "contains": ["snow"],
            }
        ],
    }
    contract = {
        "state": spec,
        "success_criteria": {"execution_result": {"required": True}},
    }
    reported = verdicts(state, contract, {"output": "done", "state": seen.state})
    assert codes(reported) == {C.UNAUTHORIZED_ACTION}
    rows: Any = reported[0].details["state_objects"]
    row = next(
        row for row in rows if row["state_object_path"] == "/files/out/report.md"
    )
    scores = [
        row[f"{name}_score"]
        for name in (
            "target_state_match",
            "content_usability",
            "format_quality",
            "boundary_control",
        )
    ]
    # opens, content and `snow`: two of three; one of two headings
    assert scores == [10, pytest.approx(20 / 3), 5, 10]
    assert row["state_change_score"] == pytest.approx(
        0.4 * 10 + 0.3 * 20 / 3 + 0.2 * 5 + 0.1 * 10
    )
    assert row["readable_after_run"] is row["non_empty_after_run"] is True
    assert row["failure_reason_codes"] == [
        "EMPTY_OR_INVALID_OUTPUT",
        "OUTPUT_FORMAT_INVALID",
    ]


def test_a_named_document_may_come_to_be_and_is_no_vacuous_expectation(
    tmp_path: Path,
) -> None:
    contract = {
        "state": {"documents": [{"path": "/files/r.md"}]},
        "success_criteria": {"execution_result": {"required": True}},
    }
    result = {"output": "done", "state": written(tmp_path, {"r.md": REPORT}).state}
    assert kinds(verdicts(state, contract, result)) == ["pass"]


def test_a_byte_order_mark_is_no_part_of_the_first_column() -> None:
    table = '\ufeff"plate","axles"\r\n"DK 41",5\r\n'
    change = {"path": "/files/m.csv", "op": "add", "after": table}
    asked = {"path": "/files/m.csv", "format": "csv", "columns": ["plate", "axles"]}
    assert codes(check(asked, {"diff": [change]})) == set()
