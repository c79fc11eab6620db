"""Everything a user can name has its place in the generated reference: commands, options, fields, codes, tables, names."""

from __future__ import annotations

import re
from typing import get_type_hints

import pytest
from generated_pages import api, commands, ledger, models
from generated_pages.pages import PAGES

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import Report
from judgemesh.contracts.weighted_score import WeightedScore
from judgemesh.mesh.cli.app import COMMANDS
from judgemesh.mesh.config import SETTINGS
from judgemesh.mesh.ledger.schema.tables import METADATA
from judgemesh.mesh.ledger.schema.views import VIEWS

from .pages import ROOT


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {name: page() for name, page in PAGES.items()}


def headings(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


def section(text: str, heading: str) -> str:
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_every_command_has_a_section_with_its_options_and_examples(
    texts: dict[str, str],
) -> None:
    text = texts["commands.md"]
    found = list(commands.commands())
    assert headings(text) == [path for path, _, _ in found]
    assert {path.split()[1] for path, _, _ in found} == set(COMMANDS)
    for path, command, _ in found:
        own = section(text, path)
        assert "Example" in own, f"{path} has no examples"
        shown = [
            parameter
            for parameter in command.params
            if not getattr(parameter, "hidden", False)
        ]
        for parameter in shown:
            if parameter.param_type_name == "option":
                assert parameter.opts[0] in own, (path, parameter.opts)


def test_every_section_of_a_contract_has_a_table(texts: dict[str, str]) -> None:
    text = texts["contract-fields.md"]
    found = models.contract_models()
    assert headings(text) == [model.__name__ for model in found]
    for model in found:
        own = section(text, model.__name__)
        for name, field in model.model_fields.items():
            assert f"| `{field.alias or name}` |" in own


def test_every_key_of_a_report_has_a_meaning(texts: dict[str, str]) -> None:
    text = texts["report-fields.md"]
    keys = models.report_keys()
    assert headings(text) == list(keys)
    assert set(keys["Report"]) >= set(
        get_type_hints(Report, localns={"WeightedScore": WeightedScore})
    )
    for name, own in keys.items():
        assert set(models.MEANINGS[name]) == set(own)


def test_every_field_of_a_contract_has_a_meaning() -> None:
    silent: list[str] = []
    used: set[tuple[str, str]] = set()
    for model in models.contract_models():
        for name, field in model.model_fields.items():
            if not models.meaning(model, name, field):
                silent.append(f"{model.__name__}.{name}")
            used |= {(base.__name__, name) for base in model.__mro__}
    assert silent == []
    written = {
        (owner, name)
        for owner, names in models.MEANINGS.items()
        if owner not in models.report_keys()
        for name in names
    }
    assert written - used == set()


def test_every_table_and_view_has_a_section(texts: dict[str, str]) -> None:
    text = texts["tables-and-views.md"]
    assert headings(text) == [table.name for table in METADATA.sorted_tables] + list(
        VIEWS
    )
    for table in METADATA.sorted_tables:
        own = section(text, table.name)
        assert [
            column.name for column in table.columns if f"| `{column.name}` |" not in own
        ] == []
    described = (ROOT / "docs/reference/ledger.md").read_text(encoding="utf-8")
    unnamed = {
        table.name
        for table in METADATA.sorted_tables
        if f"`{table.name}`" not in described
    }
    assert unnamed <= {"schema_migration"}
    dashboards = (ROOT / "docs/how-to/dashboards.md").read_text(encoding="utf-8")
    assert [view for view in VIEWS if f"`{view}`" not in dashboards] == []
    assert ledger.page() == text


def test_every_code_and_every_setting_has_a_row() -> None:
    codes = (ROOT / "docs/reference/failure-codes.md").read_text(encoding="utf-8")
    assert [
        code
        for code in FailureCode
        if f"| `{code}` |" not in codes or f"\n### {code}\n" not in codes
    ] == []
    settings = (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8")
    assert [name for name in SETTINGS if f"| `{name}` |" not in settings] == []


def test_every_public_name_has_its_docstring(texts: dict[str, str]) -> None:
    text = texts["python-api.md"]
    assert headings(text) == list(api.MODULES)
    for module in api.MODULES:
        for name, value in api.public_names(module).items():
            assert f"\n### {module}.{name}\n" in text
            assert value.__doc__, f"{module}.{name} has no docstring"


def test_pages_are_the_same_each_time(texts: dict[str, str]) -> None:
    """No address of an object and no setting of whoever builds the site."""
    assert {name: page() for name, page in PAGES.items()} == texts
    assert [
        name for name, text in texts.items() if re.search(r"0x[0-9a-f]{6}", text)
    ] == []
