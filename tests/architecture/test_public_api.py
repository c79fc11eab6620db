"""The public names: a change of them is meant, and each is exercised by the file that the type checkers read."""

from __future__ import annotations

import ast
from pathlib import Path

from judgemesh import mesh

NAMES = {
    "__version__",
    "AgentResult",
    "Case",
    "EvalContract",
    "Gate",
    "Judgement",
    "Mesh",
    "MeshConfig",
    "OutcomeClass",
    "Report",
    "Validator",
    "grade_sync",
    "report_from_json",
    "report_to_json",
    "validator",
    "from_anthropic",
    "from_autogen",
    "from_google",
    "from_langchain",
    "from_llamaindex",
    "from_openai",
    "from_pydantic_ai",
    "from_transcript",
    "from_vercel",
    "results_from",
}


def test_the_public_names() -> None:
    assert set(mesh.__all__) == NAMES
    assert {name for name in NAMES if not hasattr(mesh, name)} == set()


def test_each_public_name_is_used_in_the_typed_example(root: Path) -> None:
    tree = ast.parse(
        (root / "tests" / "typing" / "public_api.py").read_text(encoding="utf-8")
    )
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "judgemesh.mesh"
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported & used == NAMES
