"""One validator of each form: a plain function, a generator, an async function."""

from __future__ import annotations

import asyncio
import re

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Records, RecordsFound
from judgemesh.contracts.validator import Case, Judgement, Outcome, validator
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Verdict

_CONFIRMATION = re.compile(r"\bCONF-\d+\b")


def sign_off(case: Case) -> bool:
    """The answer ends with the sign-off that the contract gives as `text`."""
    answer = (case.result.output.final_answer or "").rstrip()
    return answer.endswith(str(case.args.get("text", "Kind regards")))


@validator(
    name="confirmation_ids",
    version="3",
    codes=(FailureCode.EXECUTION_RESULT_NOT_FOUND,),
)
def confirmation_ids(case: Case) -> Judgement:
    """Every confirmation id in the answer stands in the records of the `source` that the contract gives."""
    result = case.result
    named: list[str] = _CONFIRMATION.findall(result.output.final_answer or "")
    need = Records(
        source=case.args["source"], result_id=result.result_id, task_id=result.task_id
    )
    answers = yield {"records": need}
    answer = answers["records"]
    if not isinstance(answer, RecordsFound):
        return [
            Abstain(check="records", diagnostic=f"no records to compare with: {answer}")
        ]
    known = {record.confirmation_id for record in answer.records}
    return [_found(one) if one in known else _unknown(one) for one in named] or [
        _found("none named")
    ]


def _found(confirmation_id: str) -> Verdict:
    return Pass(check=confirmation_id, evidence_refs=(f"record:{confirmation_id}",))


def _unknown(confirmation_id: str) -> Verdict:
    diagnostic = f"{confirmation_id} is in no execution record"
    return Fail(
        check=confirmation_id,
        codes=(FailureCode.EXECUTION_RESULT_NOT_FOUND,),
        diagnostic=diagnostic,
    )


@validator(name="word_budget", version="1", codes=(FailureCode.OUTPUT_FORMAT_INVALID,))
async def word_budget(case: Case) -> Outcome:
    """The answer has at most `words` words."""
    await asyncio.sleep(0)
    limit = int(case.args.get("words", 100))
    count = len((case.result.output.final_answer or "").split())
    diagnostic = f"{count} words, at most {limit} allowed"
    if count > limit:
        return Fail(codes=(FailureCode.OUTPUT_FORMAT_INVALID,), diagnostic=diagnostic)
    return Pass(diagnostic=diagnostic)
