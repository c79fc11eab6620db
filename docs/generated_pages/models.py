"""The pages of the contract, of the report and of the settings: every field with its type, default and meaning."""

from __future__ import annotations

import dataclasses
import tomllib
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from generated_pages.markdown import code, paragraphs, plain, table
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.late import Forward
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict, report_to_json
from judgemesh.contracts.verdicts import Pass
from judgemesh.contracts.weighted_score import WeighedCriterion, WeightedScore

MEANINGS: Final[Mapping[str, Mapping[str, str]]] = tomllib.loads(
    (Path(__file__).parent / "meanings.toml").read_text(encoding="utf-8")
)
"""By class, by field: what the field means."""

_SAMPLE: Final = Report(
    result_id="r-1",
    task_id="task",
    eval_contract_version=None,
    evaluator_version="",
    gate=Gate.PASS,
    verdicts=(
        ValidatorVerdict(
            validator_name="validator",
            validator_version="1",
            validator_type="rule",
            verdict=Pass(),
            gating=True,
        ),
    ),
    weighted_scores=(
        WeightedScore(
            name="score",
            low=Fraction(1),
            high=Fraction(1),
            outcome=None,
            goal_confirmed=None,
            failed_state=None,
            criteria=(WeighedCriterion("criterion", holds=True, weight=Decimal(1)),),
        ),
    ),
)
"""A report with one of everything: its JSON form has every key."""

_HEADS: Final = ("field", "type", "default", "meaning")


def contract_page() -> str:
    """Every section of a contract."""
    head = (
        "# Fields of a contract\n\nEvery key that a contract takes. [Eval contracts](../reference/contracts.md)"
        " explains them with examples; `judgemesh contract schema` prints the JSON Schema for editors.\n"
    )
    return head + "".join(_model_section(model) for model in contract_models())


def report_page() -> str:
    """Every key of a report."""
    head = (
        "# Fields of a report\n\nA line of `-o reports.jsonl` is one report. `report_from_json` reads it back without"
        " loss. Amounts of money are `{amount, currency}`.\n"
    )
    return head + "".join(
        _report_section(name, keys) for name, keys in report_keys().items()
    )


def report_keys() -> dict[str, list[str]]:
    """By class: the keys of its JSON form, in their order."""
    report = report_to_json(_SAMPLE)
    (score,) = report["weighted_scores"]
    parts = (
        ("Report", report),
        ("ValidatorVerdict", report["verdicts"][0]),
        ("Confidence", report["confidence"]),
        ("WeightedScore", score),
        ("WeighedCriterion", score["criteria"][0]),
    )
    return {name: list(part) for name, part in parts}


def contract_models() -> list[type[BaseModel]]:
    """The contract and the sections below it, each once, in the order in which they are written."""
    found: dict[type[BaseModel], None] = {}
    _collect(EvalContract, found)
    return list(found)


def meaning(owner: type, name: str, field: FieldInfo | None = None) -> str:
    """What a field means: its own description, else that of the class which declares it."""
    if field is not None and field.description:
        return field.description
    for base in owner.__mro__:
        if name in MEANINGS.get(base.__name__, {}):
            return MEANINGS[base.__name__][name]
    return ""


def _collect(annotation: Any, found: dict[type[BaseModel], None]) -> None:
    if isinstance(annotation, Forward):
        annotation = annotation.model
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation in found:
            return
        found[annotation] = None
        for field in annotation.model_fields.values():
            _collect(field.annotation, found)
    for argument in typing.get_args(annotation):
        _collect(argument, found)


def _model_section(model: type[BaseModel]) -> str:
    rows = table(_HEADS, _model_rows(model))
    return f"\n## {model.__name__}\n\n{paragraphs(model.__doc__)}\n\n{rows}"


def _model_rows(model: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        shown = field.alias or name
        default = "required" if field.is_required() else _default(field)
        yield (
            code(shown),
            type_name(field.annotation),
            default,
            plain(meaning(model, name, field)),
        )


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    return "" if value is None else _value(value)


def _value(value: Any) -> str:
    if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        return f"that of {type(value).__name__}"
    if isinstance(value, Enum):
        return code(str(value.value))
    if value in ((), [], {}, frozenset()):
        return "empty"
    return code(
        {True: "true", False: "false"}.get(value, str(value))
        if isinstance(value, bool)
        else str(value)
    )


def _report_section(name: str, keys: Iterable[str]) -> str:
    rows = ((code(key), plain(MEANINGS[name].get(key, ""))) for key in keys)
    return f"\n## {name}\n\n{table(('key', 'type and meaning'), rows)}"


def type_name(annotation: Any) -> str:
    """A type as a reader of YAML or JSON names it."""
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Annotated:
        late = [each.model for each in arguments[1:] if isinstance(each, Forward)]
        return type_name(late[0] if late else arguments[0])
    if origin is typing.Literal:
        return ", ".join(code(str(argument)) for argument in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(
            type_name(part) for part in arguments if part is not type(None)
        )
    if origin in (dict, Mapping) or getattr(origin, "__name__", "") == "Mapping":
        return f"mapping of {type_name(arguments[-1])}" if arguments else "mapping"
    if origin is not None and arguments:
        return f"list of {type_name(arguments[0])}"
    return _simple_name(annotation)


_NAMES: Final = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    dict: "mapping",
    list: "list",
    object: "any value",
    Any: "any value",
}


def _simple_name(annotation: Any) -> str:
    if annotation in _NAMES:
        return _NAMES[annotation]
    name = getattr(annotation, "__name__", str(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{name}](#{name.lower()})"
    return plain(name)
