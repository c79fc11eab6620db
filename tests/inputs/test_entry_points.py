"""The one loader of plug-ins: each name once, other packages first, and a reason for what cannot be loaded."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.entry_points import (
    by_name,
    installed,
    load,
    load_instance,
    origin_of,
    unknown,
)


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "judgemesh.sources")


def test_other_packages_come_before_ours() -> None:
    points = [
        point("a", "judgemesh.mesh.sources.rows:Jsonl"),
        point("b", "json:loads"),
        point("z", "json:dumps"),
    ]
    assert list(by_name(points, "source type")) == ["b", "z", "a"]


def test_a_name_belongs_to_one_package() -> None:
    points = [point("a", "json:loads"), point("a", "judgemesh.mesh.sources.rows:Jsonl")]
    with pytest.raises(ConfigError, match="two installed packages offer a source type"):
        by_name(points, "source type")


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("no_such_module_here:x", "no_such_module_here:x: ModuleNotFoundError: No"),
        ("json:nothing", "json:nothing: AttributeError: module"),
    ],
)
def test_what_cannot_be_loaded_is_named_with_its_reason(value: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(point("torn", value), "source type")
    assert str(caught.value).startswith("source type 'torn' cannot be loaded (" + says)
    assert "\n" not in str(caught.value)


def test_a_class_is_made_an_instance_and_its_fault_is_named_too() -> None:
    assert load_instance(point("dict", "builtins:dict"), "trace format") == {}
    assert load_instance(point("pi", "math:pi"), "trace format") > 3  # type: ignore[operator]
    with pytest.raises(ConfigError, match="trace format 'late' cannot be loaded"):
        load_instance(point("late", "datetime:date"), "trace format")


def test_an_unknown_name_gets_the_nearest_or_all_known_ones() -> None:
    assert unknown("source type", "jsnl", ["csv", "jsonl"]).hint == (
        "did you mean 'jsonl'?"
    )
    assert unknown("source type", "x", ["csv", "jsonl"]).hint == (
        "there are: csv, jsonl"
    )


def test_where_an_entry_point_comes_from() -> None:
    assert origin_of(point("a", "json:loads")) == "unknown package"
    ours = installed("judgemesh.sources", "source type")
    assert {origin_of(found).split(" ")[0] for found in ours.values()} == {"judgemesh"}
