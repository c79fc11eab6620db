"""Changes of state against expected changes."""

from __future__ import annotations

import random
from typing import Any, cast
from unicodedata import combining, normalize

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.result_parts.changes import StateChange
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Skipped, Verdict
from judgemesh.mesh.state.diff import diff
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.state import state

from .helpers import codes, diagnostics, kinds, nested, verdicts

RENAME = {"path": "/users/7/name", "before": "Ann", "after": "Anna"}
ORDER = {"path": "orders/17", "op": "add", "after": {"id": 17, "items": ["a", "b"]}}


def run(
    expected: list[dict[str, Any]],
    changed: list[dict[str, Any]],
    *,
    required: bool = False,
    **spec: Any,
) -> list[Verdict]:
    """A diff against a state section."""
    contract = {
        "state": {"expected": expected, **spec},
        "success_criteria": {"execution_result": {"required": required}},
    }
    return verdicts(state, contract, {"output": "done", "state": {"diff": changed}})


@pytest.mark.parametrize(
    ("expected", "changed"),
    [
        pytest.param([RENAME], [RENAME], id="same"),
        pytest.param([{"path": "/users/7/name", "after": "Anna"}], [RENAME], id="only after"),
        pytest.param([{"path": "/users/7/name"}], [RENAME], id="any change"),
        pytest.param([{"path": "/users/7"}], [RENAME], id="any change under the path"),
        pytest.param([{"path": "/users/7/name", "match": {"pattern": "^An"}}], [RENAME], id="match"),
        pytest.param([{"path": "/users/7/name", "match": {"any": True}}], [RENAME], id="match any"),
        pytest.param([ORDER], [ORDER], id="add"),
        pytest.param([ORDER], [{"path": "/orders/17/id", "op": "add", "after": 17},
                               {"path": "/orders/17/items", "op": "add", "after": ["a", "b"]}], id="add, leaf by leaf"),
        pytest.param([{"path": "/orders/17/id", "after": 17}, {"path": "/orders/17/items/0", "after": "a"},
                      {"path": "/orders/17/items/1", "after": "b"}], [ORDER], id="leaf by leaf, add"),
        pytest.param([{"path": "/l", "before": [1, 2], "after": [1, 3, 4]}],
                     [{"path": "/l/2", "op": "add", "after": 4}, {"path": "/l/1", "before": 2, "after": 3}], id="list by elements"),
        pytest.param([{"path": "/l/1", "before": 2, "after": 3}, {"path": "/l/2", "op": "add", "after": 4}],
                     [{"path": "/l", "before": [1, 2], "after": [1, 3, 4]}], id="elements by list"),
        pytest.param([{"path": "/l", "before": [1, 2, 3], "after": [1]}],
                     [{"path": "/l/1", "op": "remove", "before": 2}, {"path": "/l/2", "op": "remove", "before": 3}], id="shorter list"),
        pytest.param([{"path": "/a", "op": "remove"}], [{"path": "/a", "op": "remove", "before": 1}], id="remove"),
        pytest.param([{"path": "/a/b", "op": "remove"}, {"path": "/a/c", "after": 2}],
                     [{"path": "/a", "before": {"b": 1, "c": 1}, "after": {"c": 2}}], id="remove inside a replacement"),
        pytest.param([{"path": "/a/x~1y", "after": 1}], [{"path": "a/x/y", "op": "add", "after": 1}], id="unescaped slash"),
        pytest.param([{"path": "/a", "after": {"x/y": 1}, "op": "add"}], [{"path": "a/x/y", "op": "add", "after": 1}], id="slash in a key"),
        pytest.param([{"path": "/n", "after": 1}], [{"path": "/n", "before": 0, "after": 1.0}], id="numbers"),
        pytest.param([{"path": "/n", "after": None}], [{"path": "/n", "before": 0, "after": None}], id="null"),
        pytest.param([{"path": "", "after": {"a": 1}}], [{"path": "", "before": {}, "after": {"a": 1}}], id="the document"),
        pytest.param([RENAME, {"path": "/x", "before": 1, "after": 1}], [RENAME], id="a no-op expectation"),
        pytest.param([RENAME], [RENAME, {"path": "/x", "before": 1, "after": 1}], id="a no-op change"),
        pytest.param([{"path": "/orders/*", "op": "add"}], [ORDER], id="wildcard"),
        pytest.param([{"path": "/*/*/name", "after": "Anna"}], [RENAME], id="two wildcards"),
        pytest.param([{"path": "/**/name", "after": "Anna"}], [RENAME], id="any depth"),
        pytest.param([{"path": "/orders/*/items/*", "after": "b"}, {"path": "/orders/*/items/*", "after": "a"},
                      {"path": "/orders/*/id", "after": 17}], [ORDER], id="wildcards into an object, each its own place"),
        pytest.param([{"path": "/users/*"}], [RENAME], id="wildcard above the change"),
        pytest.param([{"path": "/r/*", "op": "add"}, {"path": "/r/*", "after": 2}],
                     [{"path": "/r/x", "op": "add", "after": 2}, {"path": "/r/y", "op": "add", "after": 1}], id="as many as possible are met"),
    ],
)  # fmt: skip
def test_met(expected: list[dict[str, Any]], changed: list[dict[str, Any]]) -> None:
    found = run(expected, changed)
    assert kinds(found) == ["pass"], diagnostics(found)


@pytest.mark.parametrize(
    ("expected", "changed", "code"),
    [
        pytest.param([RENAME], [], C.STATE_CHANGE_FAILED, id="nothing happened"),
        pytest.param([RENAME], [{**RENAME, "after": "Hanna"}], C.STATE_CHANGE_FAILED, id="wrong value"),
        pytest.param([{**RENAME, "before": "Bo"}], [RENAME], C.STATE_CHANGE_FAILED, id="wrong start"),
        pytest.param([RENAME, ORDER], [RENAME], C.PARTIAL_STATE_CHANGE, id="one of two"),
        pytest.param([RENAME, ORDER], [RENAME, {**ORDER, "after": {}}], C.PARTIAL_STATE_CHANGE, id="one of two, one wrong"),
        pytest.param([{"path": "/a", "op": "remove"}], [{"path": "/a", "before": 1, "after": 2}], C.STATE_CHANGE_FAILED, id="not removed"),
        pytest.param([{"path": "/a", "after": 2}], [{"path": "/a", "op": "remove", "before": 1}], C.STATE_CHANGE_FAILED, id="removed"),
        pytest.param([{"path": "/a", "op": "add", "after": 2}], [{"path": "/a", "before": 1, "after": 2}], C.STATE_CHANGE_FAILED, id="was there"),
        pytest.param([{"path": "/a", "op": "replace", "after": 2}], [{"path": "/a", "op": "add", "after": 2}], C.STATE_CHANGE_FAILED, id="was new"),
        pytest.param([{"path": "/a", "match": {"any": True}}], [{"path": "/a", "op": "remove", "before": 1}], C.STATE_CHANGE_FAILED, id="match gone"),
        pytest.param([{"path": "/a", "match": {"gt": 5}}], [{"path": "/a", "before": 1, "after": 5}], C.STATE_CHANGE_FAILED, id="no match"),
        pytest.param([{"path": "/l", "before": [1, 2], "after": [1, 3]}], [{"path": "/l/1", "before": 2, "after": 4}],
                     C.STATE_CHANGE_FAILED, id="wrong element"),
        pytest.param([{"path": "/n", "after": 1}], [{"path": "/n", "before": 0, "after": True}], C.STATE_CHANGE_FAILED, id="true is no 1"),
        pytest.param([{"path": "/o/a", "after": 1}], [{"path": "/o/b", "op": "add", "after": 1}], C.STATE_CHANGE_FAILED, id="elsewhere"),
        pytest.param([{"path": "/a", "after": [1]}], [{"path": "/a", "before": 0, "after": {"0": 1}}], C.STATE_CHANGE_FAILED, id="object, not array"),
        pytest.param([{"path": "/orders/*/id", "after": 18}], [ORDER], C.STATE_CHANGE_FAILED, id="wildcard, wrong value"),
        pytest.param([{"path": "/orders/*", "op": "remove"}], [ORDER], C.STATE_CHANGE_FAILED, id="wildcard, wrong kind of change"),
        pytest.param([{"path": "/orders/*/note", "op": "add"}], [ORDER], C.STATE_CHANGE_FAILED, id="wildcard, nothing there"),
        pytest.param([{"path": "/users/*", "op": "add"}], [ORDER], C.STATE_CHANGE_FAILED, id="wildcard, elsewhere"),
    ],
)  # fmt: skip
def test_not_met(
    expected: list[dict[str, Any]], changed: list[dict[str, Any]], code: C
) -> None:
    found = run(expected, changed)
    assert code in codes(found)
    assert codes(found) <= {code, C.UNAUTHORIZED_ACTION}
    assert not any(isinstance(verdict, Pass) for verdict in found)


STRAY = {"path": "/logs/3", "op": "add", "after": {"text": "x", "at": 5}}


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ({}, "fail"),
        ({"allowed": ["/logs/*"]}, "pass"),
        ({"allowed": ["logs/**"]}, "pass"),
        ({"allowed": ["/**"]}, "pass"),
        ({"ignored": ["/logs"]}, "pass"),
        ({"allowed": ["/logs/*/text"]}, "fail"),
        ({"allowed": ["/logs/*/text"], "ignored": ["/**/at"]}, "pass"),
        ({"allowed": ["/log"]}, "fail"),
        ({"allowed": ["/logs/*/*/text"]}, "fail"),
        ({"allowed": ["/l.gs/3"]}, "fail"),
        ({"allowed": ["/**"], "forbidden": ["/logs/*/text"]}, "fail"),
        ({"allowed": ["/**"], "forbidden": ["/users/**"]}, "pass"),
    ],
)
def test_side_effects(spec: dict[str, Any], kind: str) -> None:
    found = run([RENAME], [RENAME, STRAY], **spec)
    assert kinds(found) == [kind]
    if kind == "fail":
        assert codes(found) == {C.UNAUTHORIZED_ACTION}
        assert found[0].details["side_effect_detected"] is True


def test_a_wildcard_stands_for_one_change() -> None:
    expected = [{"path": "/refunds/*", "op": "add", "match": {"gt": 0}}]
    two = [
        {"path": "/refunds/1", "op": "add", "after": 5},
        {"path": "/refunds/2", "op": "add", "after": 6},
    ]
    assert kinds(run(expected, two[:1])) == ["pass"]
    found = run(expected, two)
    assert codes(found) == {C.UNAUTHORIZED_ACTION}
    assert found[0].details["side_effect_paths"] == ["/refunds/2"]
    assert kinds(run(expected * 2, two)) == ["pass"]
    assert kinds(run(expected, two, allowed=["/refunds/*"])) == ["pass"]
    assert codes(run(expected * 3, two)) == {C.PARTIAL_STATE_CHANGE}


@given(st.permutations([1, 2, 3, 4]), st.permutations([1, 2, 3, 4]))
def test_wildcards_find_their_changes_in_any_order(
    wanted: list[int], happened: list[int]
) -> None:
    expected = [
        {"path": "/r/*", "op": "add", "match": {"ge": least}} for least in wanted
    ]
    changed = [
        {"path": f"/r/{value}", "op": "add", "after": value} for value in happened
    ]
    assert kinds(run(expected, changed)) == ["pass"]


def test_what_is_ignored_is_ignored_inside_expected_objects() -> None:
    expected = [{"path": "/o", "op": "add", "after": {"id": 1, "at": "then"}}]
    changed = [{"path": "/o", "op": "add", "after": {"id": 1, "at": "now"}}]
    assert kinds(run(expected, changed, ignored=["/*/at"])) == ["pass"]
    assert kinds(run(expected, changed)) == ["fail"]


def test_the_rest_of_a_replaced_object_is_a_side_effect() -> None:
    found = run(
        [{"path": "/o/a", "after": 1}],
        [{"path": "/o", "before": {"a": 0, "b": 0}, "after": {"a": 1, "b": 1}}],
    )
    assert codes(found) == {C.UNAUTHORIZED_ACTION}
    assert found[0].details["side_effect_paths"] == ["/o/b"]


def test_an_object_that_became_an_array_is_a_side_effect() -> None:
    changed = [
        {"path": "/o", "before": {"a": 0, "b": [1]}, "after": {"a": 1, "b": {"0": 1}}}
    ]
    assert codes(run([{"path": "/o/a", "after": 1}], changed)) == {
        C.UNAUTHORIZED_ACTION
    }


@pytest.mark.parametrize(
    ("expected", "changed"),
    [
        pytest.param(
            [{"path": "/o", "after": {"a": 1, "b": 2}}],
            [{"path": "/o/a", "before": 0, "after": 1}],
            id="rest of the object",
        ),
        pytest.param(
            [{"path": "/o/a", "after": 1}],
            [{"path": "/o", "op": "replace", "after": {"a": 1, "b": 2}}],
            id="no before",
        ),
        pytest.param(
            [{"path": "/o", "match": {"schema": {"type": "object"}}}],
            [{"path": "/o/a", "before": 0, "after": 1}],
            id="match a whole",
        ),
    ],
)
def test_what_a_diff_does_not_show_is_undecided(
    expected: list[dict[str, Any]], changed: list[dict[str, Any]]
) -> None:
    (verdict,) = run(expected, changed)
    assert isinstance(verdict, Abstain)
    assert verdict.code is C.EVIDENCE_SOURCE_INACCESSIBLE


def test_documents_in_the_result_show_it() -> None:
    contract = {"state": {"expected": [{"path": "/o", "after": {"a": 1, "b": 2}}]}}
    for rest, kind in ((2, "pass"), (3, "fail")):
        evidence = {
            "before": {"o": {"a": 0, "b": rest}},
            "after": {"o": {"a": 1, "b": rest}},
        }
        assert kinds(
            verdicts(state, contract, {"output": "done", "state": evidence})
        ) == [kind]


@pytest.mark.parametrize(
    ("expected", "changed", "required", "kind"),
    [
        ([], [], True, "abstain"),
        ([{"path": "/a", "before": 1, "after": 1}], [], True, "abstain"),
        ([], [], False, "pass"),
        ([], [RENAME], True, "fail"),
        ([RENAME], [RENAME], True, "pass"),
    ],
)
def test_vacuous_expectations(
    expected: list[dict[str, Any]],
    changed: list[dict[str, Any]],
    kind: str,
    *,
    required: bool,
) -> None:
    found = run(expected, changed, required=required)
    assert kinds(found) == [kind]
    if isinstance(found[0], Abstain):
        assert found[0].reason == "vacuous_expectation"


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (
            {"actions": [{"kind": "rename", "target": "7", "status": "done"}]},
            C.STATE_MISMATCH,
        ),
        ({"actions": [{"kind": "rename", "target": "users/7"}]}, C.STATE_MISMATCH),
        (
            {"actions": [{"kind": "rename", "parameters": {"user": 7}}]},
            C.STATE_MISMATCH,
        ),
        ({"actions": [{"kind": "rename", "status": "success"}]}, C.STATE_MISMATCH),
        (
            {"actions": [{"kind": "rename", "target": "7", "status": "failed"}]},
            C.STATE_CHANGE_FAILED,
        ),
        (
            {"actions": [{"kind": "mail", "target": "bob", "status": "done"}]},
            C.STATE_CHANGE_FAILED,
        ),
        (
            {"actions": [{"kind": "rename", "target": "7"}], "status": "timeout"},
            C.STATE_CHANGE_FAILED,
        ),
        ({}, C.STATE_CHANGE_FAILED),
    ],
)
def test_a_claim_makes_it_a_mismatch(result: dict[str, Any], code: C) -> None:
    contract = {"state": {"expected": [RENAME]}}
    assert codes(
        verdicts(
            state,
            contract,
            {"output": "I renamed it.", "state": {"diff": []}, **result},
        )
    ) == {code}


def test_without_evidence_nothing_is_said() -> None:
    (verdict,) = verdicts(state, {"state": {"expected": [RENAME]}}, {"output": "done"})
    assert isinstance(verdict, Abstain)
    assert isinstance(verdicts(state, {}, {"output": "done"})[0], Skipped)


def test_rows_for_the_ledger() -> None:
    found = run(
        [RENAME, ORDER],
        [RENAME, STRAY, {"path": "/users/7/age", "before": 1, "after": 2}],
    )
    failed, strays = found
    assert isinstance(failed, Fail)
    assert failed.score == 0.5
    assert "state_objects" not in strays.details
    listed = cast("list[dict[str, Any]]", failed.details["state_objects"])
    rows = {row["state_object_id"]: row for row in listed}
    assert set(rows) == {"/users/7", "/orders/17", "/logs/3"}
    user, order, log = rows["/users/7"], rows["/orders/17"], rows["/logs/3"]
    assert (
        user["state_action"],
        user["expected_state_match"],
        user["side_effect_detected"],
    ) == ("modify", True, True)
    assert (
        user["target_state_match_score"],
        user["boundary_control_score"],
        user["state_change_score"],
    ) == (
        10.0,
        5.0,
        9.0,
    )
    assert (order["expected_state_match"], order["exists_after_run"]) == (False, None)
    assert order["failure_reason_codes"] == ["PARTIAL_STATE_CHANGE"]
    assert (
        log["state_action"],
        log["non_empty_after_run"],
        log["expected_state_match"],
    ) == ("create", True, None)
    assert log["content_usability_score"] is None


def test_rows_are_bounded() -> None:
    changed = [
        {"path": f"/o/{index}", "op": "add", "after": "x" * 10_000}
        for index in range(500)
    ]
    (verdict,) = run([], changed)
    assert len(cast("list[object]", verdict.details["state_objects"])) == 50
    assert len(str(verdict)) < 100_000


def test_weights() -> None:
    (verdict,) = run([{**RENAME, "weight": 3}, ORDER], [RENAME])
    assert isinstance(verdict, Fail)
    assert verdict.score == 0.75


def test_deep_values() -> None:
    deep = {"path": "/d", "op": "add", "after": nested(20_000)}
    case_changes = (
        StateChange.model_construct(
            _fields_set={"path", "op", "after"},
            path="/d",
            op="add",
            after=nested(20_000),
        ),
    )
    contract = EvalContract.model_validate(
        {"task_id": "t", "state": {"expected": [{"path": "/d", "op": "add"}]}}
    )
    contract.state.expected[0].__dict__["after"] = deep["after"]  # type: ignore[union-attr]
    case = Case(
        result=AgentResult(result_id="r", task_id="t"),
        contract=contract,
        changes=case_changes,
    )
    assert isinstance(drive(state, case).verdicts[0], Pass)


keys = st.sampled_from(["a", "b", "x/y", "0", "1", "m~n", ""])
leaves = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "p", "q"])
documents = st.dictionaries(
    keys,
    st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=4,
)


def as_json(change: StateChange) -> dict[str, Any]:
    """The change as a contract or a result writes it."""
    return change.model_dump(exclude_unset=True)


def judged(expected: list[dict[str, Any]], changed: list[StateChange]) -> str:
    """The verdict's kind."""
    contract = EvalContract.model_validate(
        {"task_id": "t", "state": {"expected": expected}}
    )
    case = Case(
        result=AgentResult(result_id="r", task_id="t"),
        contract=contract,
        changes=tuple(changed),
    )
    found = drive(state, case).verdicts
    return "fail" if "fail" in kinds(found) else kinds(found)[0]


@given(documents, documents, st.randoms(use_true_random=False))
def test_the_expected_diff_always_passes_in_any_order(
    before: Any, after: Any, chance: random.Random
) -> None:
    changes = list(diff(before, after))
    expected = [as_json(change) for change in changes]
    chance.shuffle(changes)
    chance.shuffle(expected)
    assert judged(expected, changes) == "pass"


@given(documents, documents, st.data())
def test_a_dropped_change_never_passes(
    before: Any, after: Any, data: st.DataObject
) -> None:
    changes = list(diff(before, after))
    assume(changes)
    dropped = data.draw(st.integers(0, len(changes) - 1))
    assert (
        judged(
            [as_json(change) for change in changes],
            changes[:dropped] + changes[dropped + 1 :],
        )
        != "pass"
    )


@given(documents, documents, st.data())
def test_an_extra_change_never_passes(
    before: Any, after: Any, data: st.DataObject
) -> None:
    changes = list(diff(before, after))
    assume(changes)
    extra = data.draw(st.integers(0, len(changes) - 1))
    expected = [as_json(change) for change in changes[:extra] + changes[extra + 1 :]]
    assert judged(expected, changes) != "pass"


@given(documents, documents)
def test_the_whole_document_equals_its_parts(before: Any, after: Any) -> None:
    changes = list(diff(before, after))
    whole = {"path": "", "op": "replace", "before": before, "after": after}
    assert judged([whole], changes) in ("pass", "abstain")
    assert (
        judged(
            [as_json(change) for change in changes],
            [StateChange.model_validate(whole)] if changes else [],
        )
        != "fail"
    )


@given(documents, documents, documents)
def test_another_end_never_passes(before: Any, after: Any, other: Any) -> None:
    assume(diff(after, other))
    whole = {"path": "", "op": "replace", "before": before, "after": after}
    assert judged([whole], list(diff(before, other))) != "pass"


@pytest.mark.parametrize(
    ("expected", "change", "said"),
    [
        ({"before": 1, "after": 2}, {"before": 3, "after": 2}, "expected 1, found 3"),
        ({"op": "add", "after": 2}, {"before": 3, "after": 2}, "expected nothing, found 3"),
        ({"before": 1, "after": 2}, {"op": "add", "before": None, "after": 2}, "expected 1, found nothing"),
    ],
)  # fmt: skip
def test_another_value_before_the_run_is_named(
    expected: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    found = run([{"path": "/a", **expected}], [{"path": "/a", **change}])
    assert f"/a: wrong value before the run: {said}" in " ".join(
        str(verdict) for verdict in found
    )


_ACCENTED = st.sampled_from(["küche", "Crème brûlée", "señal", "Ångström", "Việt", "İzmir", "が"])  # fmt: skip
_FORMS = st.sampled_from(["NFC", "NFD"])


@given(_ACCENTED, _ACCENTED, st.tuples(_FORMS, _FORMS, _FORMS, _FORMS), st.booleans())
def test_an_accent_is_part_of_its_letter_in_either_form(
    key: str, value: str, forms: tuple[Any, Any, Any, Any], whole: bool
) -> None:
    path, after = normalize(forms[0], f"/plan/{key}"), normalize(forms[1], value)
    name, written = normalize(forms[2], key), normalize(forms[3], value)
    expected = [{"path": path, "after": after}]
    run_state: dict[str, Any]
    if whole:
        run_state = {"before": {"plan": {name: "soup"}}, "after": {"plan": {name: written}}}  # fmt: skip
    else:
        run_state = {"diff": [{"path": f"/plan/{name}", "before": "soup", "after": written}]}  # fmt: skip
    contract = {"state": {"expected": expected}}
    found = verdicts(state, contract, {"output": "done", "state": run_state})
    assert "fail" not in kinds(found), diagnostics(found)
    assert "pass" in kinds(found)
    other = {"state": {"expected": [{"path": path, "after": _without_accents(value)}]}}
    if _without_accents(value) != value:
        assert "fail" in kinds(verdicts(state, other, {"output": "done", "state": run_state}))  # fmt: skip


def _without_accents(text: str) -> str:
    return "".join(sign for sign in normalize("NFD", text) if not combining(sign))
