"""What a run created or changed has content, unless the contract asks for none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.verdicts import Verdict
from judgemesh.validators._shared.state.contents import why_hollow
from judgemesh.validators.documents import documents
from judgemesh.validators.state import state

from .helpers import codes, diagnostics, kinds, verdicts

E = C.EMPTY_OR_INVALID_OUTPUT
BLANK: st.SearchStrategy[object] = st.sampled_from([None, "", "  ", "\n\t", {}, []])
HOLLOW = st.recursive(
    BLANK,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["title", "body", "tags"]), inner, max_size=3)
    ),
    max_leaves=5,
)
HOLLOW_FILE = st.sampled_from(
    [
        {"size": 0},
        {"size": 0, "text": ""},
        {"size": 3, "text": " \n "},
        {"unreadable": "Permission denied"},
        {"size": 9, "document": {"format": "docx", "opens": False, "error": "no zip"}},
        {"size": 2, "document": {"format": "pdf", "opens": True, "chars": 0}},
        {"sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"text": "TODO"},
        {"text": "# Title\n\n- TBD\n"},
        "",
        None,
        "N/A",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit",
    ]
)
CONTENT = (
    st.integers()
    | st.booleans()
    | st.sampled_from(["open", "todo", "7", {"id": 0}, {"on": False}, [0], {"size": 4}])
)
PATHS = st.lists(
    st.sampled_from(["orders", "17", "ward", "items", "x"]), min_size=2, max_size=6
).map(lambda parts: "/" + "/".join(parts))
FILES = st.sampled_from(["/files/r.md", "/files/a/b/c/r.txt", "/disk/home/out.csv"])
ASKING = st.sampled_from(
    [{}, {"match": {"any": True}}, {"match": {"not_equals": "x"}}, {"op": "add"}]
)


def run(
    spec: dict[str, Any], changed: list[dict[str, Any]], **result: Any
) -> list[Verdict]:
    return verdicts(
        state, {"state": spec}, {"output": "done", "state": {"diff": changed}, **result}
    )


@given(PATHS, HOLLOW, ASKING)
def test_an_empty_object_is_no_pass_at_any_depth(
    path: str, value: object, asking: dict[str, Any]
) -> None:
    changed = [{"path": path, "op": "add", "after": value}]
    assert codes(run({"expected": [{"path": path, **asking}]}, changed)) == {E}
    asked = {"path": path, "op": "add", "after": value}
    assert kinds(run({"expected": [asked]}, changed)) == ["pass"]


@given(FILES, HOLLOW_FILE, ASKING)
def test_an_empty_file_is_no_pass_wherever_it_is_allowed(
    path: str, entry: object, asking: dict[str, Any]
) -> None:
    changed = [{"path": path, "op": "add", "after": entry}]
    folder = path.rpartition("/")[0]
    specs: list[dict[str, Any]] = [
        {"expected": [{"path": path, **asking}]},
        {"expected": [{"path": f"{folder}/*", **asking}]},
        {"allowed": [path]},
        {"allowed": [f"{folder}/**"]},
        {"allowed": ["/**"]},
    ]
    for spec in specs:
        assert codes(run(spec, changed)) == {E}, spec
    assert kinds(run({"ignored": [path]}, changed)) == ["pass"]
    whole = {"path": folder, "op": "add", "after": {path.rpartition("/")[2]: entry}}
    assert codes(run({"allowed": ["/**"]}, [whole])) == {E}


@given(PATHS, CONTENT, ASKING)
def test_content_passes(path: str, value: object, asking: dict[str, Any]) -> None:
    changed = [{"path": path, "op": "add", "after": value}]
    assert kinds(run({"expected": [{"path": path, **asking}]}, changed)) == ["pass"]


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        (".gitkeep", True),
        ("__init__.py", True),
        ("poetry.lock", True),
        ("py.typed", True),
        ("run.log", True),
        ("_SUCCESS", True),
        ("LICENSE", True),
        (".hidden", True),
        ("report.md", False),
        ("data.csv", False),
        ("letter.docx", False),
    ],
)
def test_marks_may_be_empty(name: str, *, fine: bool) -> None:
    changed = [{"path": f"/files/x/{name}", "op": "add", "after": {"size": 0}}]
    found = run({"allowed": ["/files/**"]}, changed)
    assert codes(found) == (set() if fine else {E})


@pytest.mark.parametrize(
    ("match", "value", "fine"),
    [
        ({"equals": ""}, "", True),
        ({"one_of": [None, "x"]}, None, True),
        ({"pattern": "^$"}, "", True),
        ({"pattern": ".*"}, "", False),
        ({"schema": {"type": "object"}}, {}, False),
        ({"schema": {"type": "array", "maxItems": 0}}, [], True),
        ({"schema": {"type": ["string", "null"]}}, None, True),
        ({"le": 5}, 0, True),
        ({"pattern": "TODO"}, "TODO: call back", True),
    ],
)
def test_what_asks_for_an_empty_value(
    match: dict[str, Any], value: object, *, fine: bool
) -> None:
    path = "/tickets/3/summary"
    changed = [{"path": path, "op": "replace", "before": "x", "after": value}]
    found = run({"expected": [{"path": path, "match": match}]}, changed)
    assert codes(found) == (set() if fine else {E}), diagnostics(found)


def test_a_list_that_lost_its_items_is_a_change() -> None:
    before: dict[str, Any] = {"carts": {"5": {"items": [1, 2]}}}
    after: dict[str, Any] = {"carts": {"5": {"items": []}}}
    contract = {"state": {"expected": [{"path": "/carts/5/items"}]}}
    result = {"output": "done", "state": {"before": before, "after": after}}
    assert kinds(verdicts(state, contract, result)) == ["pass"]


def test_the_row_of_an_empty_object_says_so() -> None:
    changed = [{"path": "/files/a/b/r.md", "op": "add", "after": {"size": 0}}]
    (verdict,) = run({"expected": [{"path": "/files/a/b/r.md"}]}, changed)
    rows: Any = verdict.details["state_objects"]
    (row,) = rows
    assert row["state_object_path"] == "/files/a/b/r.md"
    assert (row["readable_after_run"], row["non_empty_after_run"]) == (True, False)
    assert row["failure_reason_codes"] == [E.value]


CLAIMS = st.lists(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["create", "update", "verify"])},
        optional={
            "target": st.sampled_from(["r.md", "/files/r.md", "17"]),
            "status": st.sampled_from(["completed", "failed"]),
            "confirmed": st.booleans(),
        },
    ),
    max_size=3,
)


@given(HOLLOW_FILE, CLAIMS, st.text(max_size=60))
def test_what_the_agent_says_never_helps(
    entry: object, actions: list[dict[str, Any]], text: str
) -> None:
    contract = {
        "state": {
            "expected": [{"path": "/files/r.md"}],
            "documents": [{"path": "/files/r.md"}],
        }
    }
    for changed in ([], [{"path": "/files/r.md", "op": "add", "after": entry}]):
        result = {"output": text, "actions": actions, "state": {"diff": changed}}
        both = [
            *verdicts(state, contract, result),
            *verdicts(documents, contract, result),
        ]
        assert set(kinds(both)) != {"pass"}


@pytest.mark.parametrize(
    ("spec", "covered"),
    [
        ({}, {C.UNAUTHORIZED_ACTION, E}),
        (
            {"expected": [{"path": "/a", "before": 1, "after": 1}]},
            {C.UNAUTHORIZED_ACTION, E},
        ),
        ({"expected": [{"path": "/a"}]}, set(state.codes)),
    ],
)
def test_covers(spec: dict[str, Any], covered: set[C]) -> None:
    contract = EvalContract.model_validate({"task_id": "t", "state": spec})
    assert state.codes_under(contract) == covered


@pytest.mark.parametrize(
    ("path", "value", "hollow"),
    [
        (("files", "a.json"), '{"a": 1}', False),
        (("files", "a.json"), "{", True),
        (("files", "a.txt"), "\x00\x01", True),
        (("files", "todo.md"), "# Todo\n- buy milk\n- N/A\n", False),
        (("tasks", "4", "status"), "todo", False),
        (("tasks", "4", "note"), "todo", True),
        (("files", "a.md"), {"size": 900, "text": "TODO"}, True),
        (("n",), 0, False),
    ],
)
def test_why_hollow(path: tuple[str, ...], value: object, *, hollow: bool) -> None:
    assert (why_hollow(path, value) is not None) is hollow
