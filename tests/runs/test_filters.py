"""`--filter`: what it keeps, and what it says where it kept nothing."""

from __future__ import annotations

import pytest

from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.runs.filters import Filters


def result(result_id: str, **fields: object) -> AgentResult:
    line = {"result_id": result_id, "task_id": "book", "output": "done", **fields}
    return AgentResult.model_validate(line)


RESULTS = [result("r1", team="north"), result("r2", team="south", note="late")]


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        ((), ["r1", "r2"]),
        (("r1",), ["r1"]),
        (("book",), ["r1", "r2"]),
        (("team=n*",), ["r1"]),
        (("note=late", "book"), ["r2"]),
        (("note=",), ["r1"]),
    ],
)
def test_a_result_has_to_match_all(texts: tuple[str, ...], kept: list[str]) -> None:
    filters = Filters(texts)
    assert [each.result_id for each in RESULTS if filters.keep(each)] == kept
    assert filters.why_nothing() == ""


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (("zz*",), "none of the 2 results matches --filter zz*"),
        (
            ("r1", "team=south"),
            "none of the 2 results matches --filter r1 --filter team=south",
        ),
        (
            ("taem=north",),
            "none of the 2 results matches --filter taem=north; no result has a field 'taem', did you mean 'team'?",
        ),
    ],
)
def test_it_says_why_it_kept_nothing(texts: tuple[str, ...], why: str) -> None:
    filters = Filters(texts)
    assert [filters.keep(each) for each in RESULTS] == [False, False]
    assert filters.why_nothing() == why


def test_an_unknown_field_lists_those_that_there_are() -> None:
    filters = Filters(("xyzzy=1",))
    assert [filters.keep(each) for each in RESULTS] == [False, False]
    _, _, listed = filters.why_nothing().partition("; there are ")
    assert {"note", "team", "result_id", "status"} <= set(listed.split(", "))


def test_where_there_was_no_result_the_filter_is_not_why() -> None:
    assert Filters(("zz*",)).why_nothing() == ""
    only = Filters(("zz*",))
    assert not only.keep(RESULTS[0])
    assert only.why_nothing() == "the only result does not match --filter zz*"
