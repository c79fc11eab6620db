"""The worked example on every page under docs/reference/validators does what the page says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from judgemesh.contracts.validator import Validator
from judgemesh.contracts.verdicts import codes_of
from judgemesh.validators import (
    citations,
    claims,
    completion,
    constraints,
    criteria,
    documents,
    execution,
    expected_answer,
    forbidden_content,
    limits,
    output_format,
    permissions,
    plan_quality,
    replay,
    required_fields,
    sop,
    spending,
    state,
    tool_selection,
)

from .helpers import verdicts

PAGES = Path(__file__).resolve().parents[2] / "docs/reference/validators"
BUILT_IN: list[Validator] = [
    citations.citations,
    claims.claims,
    completion.completion,
    constraints.constraints,
    criteria.criteria,
    documents.documents,
    execution.execution,
    expected_answer.expected_answer,
    forbidden_content.forbidden_content,
    limits.limits,
    output_format.output_format,
    permissions.permissions,
    plan_quality.plan_quality,
    replay.replay,
    required_fields.required_fields,
    sop.sop,
    spending.spending,
    state.state,
    tool_selection.tool_selection,
]


def block(text: str, language: str) -> str:
    """The one block of that language."""
    (found,) = re.findall(
        rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL
    )
    return str(found)


@pytest.mark.parametrize("validator", BUILT_IN, ids=lambda validator: validator.name)
def test_the_example_of_the_page(validator: Validator) -> None:
    text = (PAGES / f"{validator.name}.md").read_text()
    found = verdicts(
        validator, yaml.safe_load(block(text, "yaml")), json.loads(block(text, "json"))
    )
    said = [" ".join([verdict.kind, *codes_of(verdict)]) for verdict in found]
    assert said == block(text, "text").split("\n")[:-1]


@pytest.mark.parametrize("validator", BUILT_IN, ids=lambda validator: validator.name)
def test_the_page_names_every_code(validator: Validator) -> None:
    text = (PAGES / f"{validator.name}.md").read_text()
    assert {code for code in validator.codes if f"`{code}`" not in text} == set()
    assert validator.summary


def test_there_is_no_other_page() -> None:
    # The page of `scorers` is tested with the packages that it hosts, in tests/integrations.
    pages = {page.stem for page in PAGES.glob("*.md")} - {"index", "scorers"}
    assert pages == {validator.name for validator in BUILT_IN}
