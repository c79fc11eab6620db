"""A batch is named by its inputs; people read its files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.ledger.run_names import batch_name, shown_name


@pytest.mark.parametrize(
    ("results", "limit", "filters", "shown"),
    [
        (["/data/v1.jsonl"], None, [], "v1.jsonl"),
        (["-"], None, [], "standard input"),
        (["/a/x.jsonl", "/b/y.jsonl.gz"], 10, [], "x.jsonl, y.jsonl.gz, the first 10"),
        (["/a/1", "/a/2", "/a/3", "/a/4", "/a/5"], None, [], "1, 2, 3, 2 more files"),
        (["/a/x"], None, ["v=2", "t-*"], "x, t-*, v=2"),
    ],
)
def test_a_batch_is_shown_by_its_files(
    results: list[str], limit: int | None, filters: list[str], shown: str
) -> None:
    assert shown_name(batch_name(results, limit, filters)) == shown


def test_the_order_of_filters_is_no_part_of_the_name() -> None:
    assert batch_name(["/a"], 1, ["b", "a"]) == batch_name(["/a"], 1, ["a", "b"])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
_IDENTITY = st.fixed_dictionaries({"results": _JSON, "limit": _JSON, "filters": _JSON})


@given(st.text() | _JSON.map(json.dumps) | _IDENTITY.map(json.dumps))
def test_any_other_name_is_shown_as_it_is(name: str) -> None:
    shown = shown_name(name)
    if shown != name:
        identity = json.loads(name)
        assert batch_name(**identity) == json.dumps(
            {**identity, "filters": sorted(identity["filters"])}, sort_keys=True
        )


def test_a_run_without_a_name_has_none() -> None:
    assert shown_name(None) == shown_name("") == ""


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("pytest 2026-11-28T21:35:14.081012Z 71", "pytest 2026-11-28 21:35 UTC 71"),
        ("nightly 2026-11-28", "nightly 2026-11-28"),
    ],
)
def test_moments_are_shown_to_the_minute(name: str, shown: str) -> None:
    assert shown_name(name) == shown
