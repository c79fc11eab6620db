"""What judges said is found by columns, whatever role they were heard in."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.opinions import (
    PANEL,
    BatchAudit,
    Opinion,
    PanelSum,
    Role,
    Vote,
)
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Verdict
from judgemesh.mesh.ledger.opinions import (
    AuditedQuestion,
    LeaderRow,
    QuestionRecord,
    VerdictKey,
    judged_page,
    opinion_page,
)
from judgemesh.mesh.ledger.store import Ledger

pytestmark = pytest.mark.anyio

PLAIN = Opinion(
    question_id="polite",
    question="Is it polite?",
    criterion="sha256:1",
    gating=False,
    model="small",
    prompts="p",
    served=("small-1", "small-2"),
    leader=Vote.YES,
    verdict=Vote.YES,
    votes_yes=2,
)
AUDIT = BatchAudit(call="c", position=1, size=3, together=Vote.YES, alone=Vote.NO)
FIRST = replace(
    PLAIN, role=Role.FIRST, leader=Vote.CANNOT_ASSESS, batch=AUDIT, question=""
)
ESCALATED = replace(PLAIN, model="strong", audit_share=0.5, others=(FIRST,))
BROKEN = replace(
    PLAIN, role=Role.MEMBER, model="b", leader=None, verdict=None, error_type="timeout"
)
MEMBER = replace(PLAIN, role=Role.MEMBER, model="a", batch=AUDIT)
OF_PANEL = replace(
    PLAIN,
    model="a + b",
    backend=PANEL,
    panel=PanelSum(method="majority", n_eff=1.3, n_eff_source="assumed"),
    others=(MEMBER, BROKEN),
)


def graded(verdict: Verdict) -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name="criteria",
        validator_version="1",
        validator_type="generator",
        verdict=verdict,
        gating=False,
    )


async def write(ledger: Ledger, now: datetime, **verdicts: Verdict) -> None:
    for index, (result_id, verdict) in enumerate(verdicts.items()):
        report = Report(
            result_id=result_id,
            task_id="letter",
            eval_contract_version="1",
            evaluator_version="1",
            gate=Gate.PASS,
            verdicts=(graded(Pass(check="plain")), graded(verdict)),
        )
        await ledger.write_report(
            "run", report, result_digest="d", input_index=index, created_at=now
        )


async def test_opinions_come_back_with_all_that_were_heard(
    ledger: Ledger, now: datetime
) -> None:
    await write(
        ledger,
        now,
        r1=Pass(check="criterion:polite", opinion=ESCALATED),
        r2=Pass(check="criterion:polite"),
        r3=Abstain(check="criterion:polite", opinion=OF_PANEL),
    )
    opinions = [row async for row in ledger.opinions("run")]
    assert opinions == [("r1", ESCALATED), ("r3", OF_PANEL)]
    assert [one.model for one in OF_PANEL.all()] == ["a + b", "a", "b"]
    # Written again without, they are gone.
    await write(ledger, now, r1=Pass(check="criterion:polite"))
    assert [row async for row in ledger.opinions("run")] == [("r3", OF_PANEL)]
    assert [row async for row in ledger.opinions("another")] == []


async def test_the_queue_lists_final_opinions_with_their_verdicts(
    ledger: Ledger, now: datetime
) -> None:
    verdict = Pass(check="criterion:polite", weight=2, diagnostic="yes", opinion=PLAIN)
    await write(ledger, now, r1=verdict, r2=replace(verdict, opinion=ESCALATED))
    first, second = [row async for row in ledger.judged("run")]
    assert (first.result_id, first.task_id, first.check, first.kind) == (
        "r1",
        "letter",
        "criterion:polite",
        "pass",
    )
    assert (first.question_id, first.question) == ("polite", "Is it polite?")
    assert (first.weight, first.diagnostic, first.audited) == (2, "yes", False)
    assert (second.result_id, second.audited) == ("r2", True)


async def test_every_judge_is_found_in_whatever_role_it_was_heard(
    ledger: Ledger, now: datetime
) -> None:
    await write(
        ledger,
        now,
        r1=Pass(opinion=ESCALATED),
        r2=Pass(opinion=OF_PANEL),
    )
    leaders = await ledger.leaders("run")
    assert leaders == [
        LeaderRow(result_id="r1", question_id="polite", model="strong", leader="yes"),
        LeaderRow(
            result_id="r1", question_id="polite", model="small", leader="cannot_assess"
        ),
        LeaderRow(result_id="r2", question_id="polite", model="a + b", leader="yes"),
        LeaderRow(result_id="r2", question_id="polite", model="a", leader="yes"),
    ]
    assert await ledger.batch_audits("run") == [
        AuditedQuestion(
            model=model,
            criterion="sha256:1",
            call="c",
            position=1,
            together="yes",
            alone="no",
        )
        for model in ("small", "a")
    ]


async def test_pages_end_where_the_next_begins(ledger: Ledger, now: datetime) -> None:
    verdict = Pass(opinion=OF_PANEL)
    await write(ledger, now, **{f"r{number}": verdict for number in range(5)})
    judged: list[str] = []
    opinions: list[str] = []
    key: VerdictKey | None = None
    eval_id: str | None = ""
    for _ in range(3):
        next_judged = partial(judged_page, run_id="run", after=key, size=2)
        rows, key = await ledger.ask(next_judged)
        judged += [row.result_id for row in rows]
        next_opinions = partial(opinion_page, run_id="run", after=eval_id or "", size=2)
        page, eval_id = await ledger.ask(next_opinions)
        opinions += [result_id for result_id, _ in page]
    assert judged == opinions == [f"r{number}" for number in range(5)]
    assert (key, eval_id) == (None, None)


async def test_how_gating_questions_were_answered_and_what_that_cost(
    ledger: Ledger, now: datetime
) -> None:
    """Of judged gating verdicts; by the question of the opinion, else by the check; free answers are no bill."""

    def judged(
        verdict: Verdict, cost: str | None, *, gating: bool = True
    ) -> ValidatorVerdict:
        amount = None if cost is None else Money(Decimal(cost), "USD")
        return replace(
            graded(verdict), validator_type="judge", gating=gating, cost=amount
        )

    polite = Pass(check="criterion:polite", opinion=PLAIN)
    rude = Fail(
        check="criterion:polite", codes=(FailureCode.WRONG_FACT,), opinion=PLAIN
    )
    field = Fail(check="field:order", codes=(FailureCode.MISSING_REQUIRED_FIELD,))
    verdicts = [
        (judged(polite, "0.002"), judged(field, None)),
        (judged(rude, "0.004"), judged(Pass(check="soft"), "0.1", gating=False)),
        (judged(polite, "0"), judged(Abstain(check="criterion:polite"), "0.9")),
        (graded(Fail(check="rule", codes=(FailureCode.WRONG_FACT,))),),
    ]
    for index, rows in enumerate(verdicts):
        report = Report(
            result_id=f"r{index}",
            task_id="letter",
            eval_contract_version="1",
            evaluator_version="1",
            gate=Gate.FAIL,
            verdicts=rows,
        )
        await ledger.write_report(
            "run", report, result_digest="d", input_index=index, created_at=now
        )
    order, politeness = await ledger.question_records()
    assert order == QuestionRecord(
        task_id="letter",
        validator_name="criteria",
        question_id="field:order",
        answered=1,
        failed=1,
        cost=None,
    )
    assert (politeness.question_id, politeness.answered, politeness.failed) == (
        "polite",
        3,
        1,
    )
    assert politeness.cost == pytest.approx(0.003)
