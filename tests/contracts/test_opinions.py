"""An opinion, and all others it holds, come back from their rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.opinions import (
    BatchAudit,
    Opinion,
    PanelSum,
    Part,
    Role,
    Vote,
    opinion_from_rows,
    opinion_rows,
)

texts = st.text(max_size=8)
unit = st.floats(0, 1)
counts = st.integers(0, 9)
votes = st.sampled_from(Vote)
panel_sums = st.builds(
    PanelSum,
    method=texts,
    n_eff=unit,
    n_eff_source=st.sampled_from(["assumed", "labels"]),
    labels=st.none() | counts,
)
parts = st.builds(Part, model=texts, prompts=texts, backend=texts)
batch_audits = st.builds(
    BatchAudit, call=texts, position=counts, size=counts, together=votes, alone=votes
)
alone = st.builds(
    Opinion,
    question_id=texts,
    question=texts,
    criterion=texts,
    gating=st.booleans(),
    model=texts,
    prompts=texts,
    backend=texts,
    role=st.sampled_from(Role),
    served=st.lists(texts, max_size=2).map(tuple),
    leader=st.none() | votes,
    verdict=st.none() | votes,
    error_type=st.none() | texts,
    votes_yes=counts,
    votes_no=counts,
    votes_unsure=counts,
    votes_broken=counts,
    p_yes=st.none() | unit,
    contradicted=st.booleans(),
    quote_found=st.none() | st.booleans(),
    stability=st.none() | unit,
    correctness=st.none() | unit,
    reason=texts,
    injection_suspected=st.booleans(),
    same_family=st.booleans(),
    chance=st.none() | unit,
    audit_share=st.none() | unit,
    panel=st.none() | panel_sums,
    part=st.none() | parts,
    batch=st.none() | batch_audits,
)


def holding(opinion: Opinion, others: Sequence[Opinion]) -> Opinion:
    return replace(opinion, others=tuple(others))


opinions = st.recursive(
    alone,
    lambda inner: st.builds(holding, alone, st.lists(inner, max_size=2)),
    max_leaves=4,
)


@given(opinions)
def test_rows_of_an_opinion_come_back_equal(opinion: Opinion) -> None:
    rows = json.loads(json.dumps(opinion_rows(opinion)))
    assert opinion_from_rows(rows) == opinion
    assert [row["model"] for row in rows] == [one.model for one in opinion.all()]
    assert [row["position"] for row in rows] == list(range(len(rows)))
    assert rows[0]["parent"] is None
    assert all(row["parent"] < row["position"] for row in rows[1:])


def test_no_opinion_has_no_rows() -> None:
    assert opinion_rows(None) == []
    assert opinion_from_rows([]) is None
    with pytest.raises(KeyError):
        opinion_from_rows([{"position": 0, "parent": None}])
