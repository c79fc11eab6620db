"""The one loader of plug-ins: each name once, other packages first, and a reason for what cannot be loaded."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

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


def _package(folder: Path, name: str, points: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(points)


@pytest.mark.parametrize("group", ["judgemesh.sources", "judgemesh.validators"])
def test_the_group_is_what_the_standard_library_finds(group: str) -> None:
    assert set(installed(group, "plug-in").values()) == set(entry_points(group=group))


def test_another_package_of_the_group_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _package(tmp_path, "other", "[judgemesh.sources]\nspare = json:loads\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = installed("judgemesh.sources", "source type")
    assert origin_of(found["spare"]) == "other 1.0"
    assert len(found) > 1


def test_a_package_that_an_earlier_one_of_its_name_hides_offers_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it is the only one that names the group."""
    _package(tmp_path / "old", "other", "[judgemesh.unheard]\nspare = json:loads\n")
    _package(tmp_path / "new", "other", "[unrelated]\nspare = json:loads\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "old"), *sys.path])
    assert list(installed("judgemesh.unheard", "plug-in")) == ["spare"]
    monkeypatch.setattr(sys, "path", [str(tmp_path / "new"), *sys.path])
    assert not installed("judgemesh.unheard", "plug-in")
