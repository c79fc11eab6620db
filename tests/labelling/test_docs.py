"""The page that people print has the rubric word for word."""

from __future__ import annotations

from pathlib import Path

from judgemesh.mesh.labelling.tree import DEFINITIONS, OUTCOME_TREE

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/labelling.md"


def test_the_page_quotes_the_tree() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    for number, step in enumerate(OUTCOME_TREE.steps.values(), start=1):
        assert f"**{number}. {step.question}**" in page
        for paragraph in step.rubric:
            assert f"* {paragraph} " in page
    for outcome, words in DEFINITIONS.items():
        assert f"| `{outcome.value}` | {words} |" in page
