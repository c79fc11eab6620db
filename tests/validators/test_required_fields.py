"""Required outputs and fields: the whole ladder."""

from __future__ import annotations

import json
from typing import Any

import pytest

from judgemesh.contracts.codes import FailureCode as C
from judgemesh.contracts.needs import Ask, Judged, Need, Unanswered
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.verdicts import Abstain, Confidence, Error, Fail, Pass, Skipped
from judgemesh.mesh.testing.drive import drive
from judgemesh.validators.required_fields import required_fields

from .helpers import codes, diagnostics, kinds, make_case, nested, refs, verdicts

FIELD = {"success_criteria": {"must_include": ["drug_name"]}}


def wants(spec: dict[str, Any]) -> dict[str, Any]:
    """A contract that wants `drug_name`, found as the spec says."""
    return {**FIELD, "fields": {"drug_name": spec}}


@pytest.mark.parametrize(
    ("spec", "output", "ref"),
    [
        (
            {"path": "/a/0/name"},
            {"outputs": {"a": [{"name": "X"}]}},
            "outputs/a/0/name",
        ),
        (
            {"path": "a[0].name"},
            {"outputs": {"a": [{"name": "X"}]}},
            "outputs/a/0/name",
        ),
        ({"path": "$.a.name"}, {"outputs": {"a": {"name": "X"}}}, "outputs/a/name"),
        ({"path": "/outputs/a"}, {"outputs": {"a": "X"}}, "outputs/a"),
        ({"path": "/a~1b"}, {"outputs": {"a/b": "X"}}, "outputs/a/b"),
        ({}, {"outputs": {"drugName": "X"}}, "outputs/drugName"),
        ({}, {"outputs": {"deep": [{"Drug Name": "X"}]}}, "outputs/deep/0/Drug Name"),
        ({}, {"drug-name": "X"}, "output/drug-name"),
        ({"aliases": ["compound"]}, {"outputs": {"Compound": "X"}}, "outputs/Compound"),
        ({}, {"outputs": {"drug_name": False}}, "outputs/drug_name"),
        ({}, {"outputs": {"drug_name": 0}}, "outputs/drug_name"),
        ({}, {"final_answer": '{"drug_name": "X"}'}, "final_answer/drug_name"),
        (
            {},
            {"final_answer": '```json\n{"drug_name": "X"}\n```'},
            "final_answer/drug_name",
        ),
        ({}, {"final_answer": "Hello\n**Drug name:** Imatinib"}, "final_answer:L2"),
        ({}, {"final_answer": "## Drug name\nImatinib"}, "final_answer:L2"),
        (
            {},
            {"final_answer": "| drug name | dose |\n|---|---|\n| Imatinib | 4 |"},
            "final_answer:L3",
        ),
        ({}, {"final_answer": "| drug name | Imatinib |"}, "final_answer:L1"),
        (
            {},
            {"outputs": {"drug_name": "N/A"}, "final_answer": "Drug name: X"},
            "final_answer:L1",
        ),
        (
            {"pattern": r"(?i)\bimatinib\b"},
            {"final_answer": "We gave\nImatinib."},
            "final_answer:L2",
        ),
        ({"pattern": "X-[0-9]+"}, {"outputs": {"note": "see X-17"}}, "outputs/note"),
        (
            {"allow": ["unknown"]},
            {"outputs": {"drug_name": "Unknown"}},
            "outputs/drug_name",
        ),
        ({"allow": ["null"]}, {"outputs": {"drug_name": None}}, "outputs/drug_name"),
    ],
)
def test_found(spec: dict[str, Any], output: dict[str, Any], ref: str) -> None:
    reported = verdicts(required_fields, wants(spec), {"output": output})
    assert kinds(reported) == ["pass"]
    assert refs(reported) == [ref]


@pytest.mark.parametrize(
    ("spec", "output"),
    [
        ({}, {}),
        ({}, {"final_answer": "The drug name was not a topic"}),
        ({}, {"outputs": {"drug_name": ""}}),
        ({}, {"outputs": {"drug_name": []}}),
        ({}, {"outputs": {"drug_name": ["", "TBD", {"x": None}]}}),
        ({}, {"outputs": {"drug_name": None}}),
        ({}, {"final_answer": "Drug name: TBD"}),
        ({}, {"final_answer": "Drug name: <drug name>"}),
        ({}, {"final_answer": '{"drug_name": "n/a"}'}),
        ({"find_by": ["path"], "path": "/x"}, {"outputs": {"drug_name": "X"}}),
        ({"find_by": ["key"]}, {"final_answer": "Drug name: X"}),
        ({"find_by": ["pattern"], "pattern": "Z+"}, {"final_answer": "Drug name: X"}),
        ({"pattern": "z*"}, {"final_answer": "something"}),
        ({"path": "/a/9999999999999999999999"}, {"outputs": {"a": [1]}}),
        ({"path": "/a/-1"}, {"outputs": {"a": [1]}}),
        ({"path": "/a/\u0661"}, {"outputs": {"a": [1, 2]}}),
    ],
)
def test_missing(spec: dict[str, Any], output: dict[str, Any]) -> None:
    reported = verdicts(required_fields, wants(spec), {"output": output})
    assert kinds(reported) == ["fail"]
    assert codes(reported) == {C.MISSING_REQUIRED_FIELD}
    assert "drug_name" in diagnostics(reported)


def test_the_diagnostic_lists_the_rungs_and_the_placeholder() -> None:
    contract = wants({"path": "/drug", "pattern": "X[0-9]"})
    text = diagnostics(
        verdicts(
            required_fields, contract, {"output": {"outputs": {"drug_name": "TBD"}}}
        )
    )
    for part in (
        "path /drug",
        "no such key",
        "labelled line",
        "X[0-9]",
        "outputs/drug_name holds only 'TBD'",
    ):
        assert part in text


def test_completeness_is_the_weighted_share() -> None:
    contract = {
        "success_criteria": {
            "required_outputs": ["final_answer", "report"],
            "must_include": ["a", "b", "a"],
        },
        "fields": {"a": {"weight": 3}, "report": {"weight": 2}},
    }
    reported = verdicts(
        required_fields, contract, {"output": {"final_answer": "A: yes"}}
    )
    weights = {
        verdict.kind: verdict.weight
        for verdict in reported
        if isinstance(verdict, Pass)
    }
    assert weights == {"pass": 4.0}
    lost = {
        verdict.codes: verdict.weight
        for verdict in reported
        if isinstance(verdict, Fail)
    }
    assert lost == {(C.MISSING_REQUIRED_OUTPUT,): 2.0, (C.MISSING_REQUIRED_FIELD,): 1.0}
    assert {verdict.metric for verdict in reported} == {"completeness"}


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("citations", {"citations": ["Smith 2020"]}),
        ("citations", {"final_answer": "## References\n1. Smith 2020"}),
        ("claims", {"claims": ["Water is wet"]}),
        ("evidence_list", {"outputs": {"nested": {"evidenceList": ["e1"]}}}),
        ("evidence_list", {"final_answer": "# Evidence list\n- e1"}),
        ("evidence_list", {"citations": ["A"]}),
        ("evidence_list", {"final_answer": "It is so [POL-7]."}),
        ("citations", {"final_answer": "It is so.\n\nSource: POL-7"}),
        ("final_answer", {"final_answer": "yes"}),
    ],
)
def test_required_outputs(name: str, output: dict[str, Any]) -> None:
    assert kinds(
        verdicts(
            required_fields,
            {"success_criteria": {"required_outputs": [name]}},
            {"output": output},
        )
    ) == ["pass"]


@pytest.mark.parametrize(
    ("names", "output", "extra", "expected"),
    [
        (["final_answer"], {}, {}, {C.MISSING_FINAL_ANSWER}),
        (["final_answer"], {"final_answer": "TBD"}, {}, {C.EMPTY_OR_INVALID_OUTPUT}),
        (
            ["citations"],
            {"citations": [""], "final_answer": "x"},
            {},
            {C.MISSING_REQUIRED_OUTPUT},
        ),
        (
            ["citations"],
            {"final_answer": "x"},
            {"evidence": {}},
            {C.MISSING_REQUIRED_OUTPUT, C.MISSING_EVIDENCE},
        ),
        (
            ["citations"],
            {"outputs": {"evidence": ["e"]}},
            {"evidence": {}},
            {C.MISSING_REQUIRED_OUTPUT, C.MISSING_CITATION},
        ),
        (
            ["evidence_list"],
            {"citations": ["see above"], "outputs": {"evidence_list": ["N/A"]}},
            {"evidence": {}},
            {C.MISSING_REQUIRED_OUTPUT, C.MISSING_EVIDENCE},
        ),
        (
            ["evidence_list"],
            {},
            {"evidence": {"required": False}},
            {C.MISSING_REQUIRED_OUTPUT},
        ),
    ],
)
def test_missing_outputs(
    names: list[str], output: dict[str, Any], extra: dict[str, Any], expected: set[C]
) -> None:
    reported = verdicts(
        required_fields,
        {"success_criteria": {"required_outputs": names}, **extra},
        {"output": output},
    )
    assert codes(reported) == expected


SAID = [
    {"role": "assistant", "content": "It costs $1,234."},
    {"role": "user", "content": "And 99?"},
]


def test_the_transcript_is_what_the_agent_said() -> None:
    contract = wants(
        {"search": "transcript", "find_by": ["pattern"], "pattern": "1,?234"}
    )
    reported = verdicts(required_fields, contract, {"output": "Bye.", "trace": SAID})
    assert refs(reported) == ["trace:1:L1"]
    only_user = wants({"search": "transcript", "find_by": ["pattern"], "pattern": "99"})
    assert kinds(
        verdicts(required_fields, only_user, {"output": "Bye.", "trace": SAID})
    ) == ["fail"]
    assert kinds(
        verdicts(
            required_fields,
            wants({"find_by": ["pattern"], "pattern": "1,?234"}),
            {"output": "Bye."},
        )
    ) == ["fail"]


@pytest.mark.parametrize("trace", [None, {"ref": "trace.json"}, {"events": [{"x": 1}]}])
def test_a_transcript_that_cannot_be_seen_is_no_failure(trace: object) -> None:
    contract = wants({"search": "transcript"})
    assert kinds(
        verdicts(required_fields, contract, {"output": "Drug name: X", "trace": trace})
    ) == ["pass"]
    hidden = verdicts(required_fields, contract, {"output": "Bye.", "trace": trace})
    assert kinds(hidden) == ["abstain"]
    assert codes(hidden) == {C.EVIDENCE_SOURCE_INACCESSIBLE}


def judge(vote: Vote) -> Judged:
    """A judge's word."""
    return Judged(vote=vote, reason="because", confidence=Confidence(stability=0.9))


@pytest.mark.parametrize(
    ("vote", "kind"), [(Vote.YES, Pass), (Vote.NO, Fail), (Vote.CANNOT_ASSESS, Abstain)]
)
def test_the_last_rung_is_one_question(vote: Vote, kind: type) -> None:
    case = make_case(FIELD, {"output": "We used a kinase inhibitor."}, judge=True)
    driven = drive(required_fields, case, [judge(vote)])
    (need,) = driven.needs
    assert isinstance(need, Ask)
    assert need.gating
    assert need.question_id == "field:drug_name"
    (verdict,) = driven.verdicts
    assert isinstance(verdict, kind)
    assert verdict.confidence == Confidence(stability=0.9)
    assert verdict.metric == "completeness"


def test_all_open_fields_are_asked_at_once_and_only_they() -> None:
    contract = {
        "success_criteria": {"must_include": ["a", "b", "c"]},
        "fields": {"c": {"find_by": ["key"]}},
    }
    driven = drive(
        required_fields,
        make_case(contract, {"output": "A: 1"}, judge=True),
        [judge(Vote.YES)],
    )
    assert len(driven.rounds) == 1
    assert kinds(driven.verdicts) == ["fail", "pass", "pass"]


@pytest.mark.parametrize(("inaccessible", "kind"), [(True, Abstain), (False, Error)])
def test_a_broken_judge_is_no_grade(*, inaccessible: bool, kind: type) -> None:
    def answer(_need: Need) -> Unanswered:
        return Unanswered(
            error_type="timeout", message="too slow", inaccessible=inaccessible
        )

    (verdict,) = verdicts(required_fields, FIELD, {"output": "text"}, answer)
    assert isinstance(verdict, kind)


@pytest.mark.parametrize(
    "output", [{}, {"final_answer": " "}, {"final_answer": "Thought process:"}]
)
def test_nobody_is_asked_about_nothing(output: dict[str, Any]) -> None:
    assert kinds(verdicts(required_fields, FIELD, {"output": output}, [])) == ["fail"]


def test_without_anything_required_it_is_skipped() -> None:
    assert not required_fields.applies(make_case({}, {}).contract)
    assert isinstance(verdicts(required_fields, {}, {"output": "x"})[0], Skipped)


@pytest.mark.parametrize(
    "output",
    [
        {"outputs": nested(20_000)},
        {"final_answer": json.dumps({"drug_name": "X"}) + " " * 100_000},
        {"final_answer": "x" * 2_000_000 + "\nDrug name: X"},
        {"final_answer": "Drug\u200b \uff4eame\uff1a X"},
        {"final_answer": "\x00\x01\ufffd\nDrug name: X"},
        {
            "outputs": {str(index): index for index in range(20_000)}
            | {"drug_name": "X"}
        },
    ],
)
def test_hostile_results_are_read(output: dict[str, Any]) -> None:
    assert kinds(verdicts(required_fields, FIELD, {"output": output})) == ["pass"]


def test_a_pattern_that_is_none_is_the_evaluators_fault() -> None:
    with pytest.raises(ValueError, match="no RE2 pattern"):
        verdicts(required_fields, wants({"pattern": "("}), {"output": "x"})
