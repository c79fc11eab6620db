"""The public API as a user writes it. Read by mypy and pyright, never run: a change that breaks this breaks users."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Mapping
from typing import Any, assert_never, assert_type

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.errors import (
    ConfigError,
    ContractError,
    InputError,
    JudgemeshError,
    JudgeTimeout,
    LedgerError,
)
from judgemesh.contracts.gateway import Gateway, ModelCall, ModelReply
from judgemesh.contracts.money import Money
from judgemesh.contracts.needs import (
    Answer,
    Ask,
    Extracted,
    Found,
    Judged,
    Material,
    Need,
    NotFound,
    RecordsFound,
    Unanswered,
)
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.validator import Outcome
from judgemesh.contracts.verdicts import Abstain, Error, Fail, Pass, Skipped, Verdict
from judgemesh.mesh import (
    AgentResult,
    Case,
    EvalContract,
    Gate,
    Judgement,
    Mesh,
    MeshConfig,
    OutcomeClass,
    Report,
    Validator,
    __version__,
    from_anthropic,
    from_autogen,
    from_google,
    from_langchain,
    from_llamaindex,
    from_openai,
    from_pydantic_ai,
    from_transcript,
    from_vercel,
    grade_sync,
    report_from_json,
    report_to_json,
    results_from,
    validator,
)


async def grade_one(result: AgentResult, contract: EvalContract) -> str:
    """One result, with a contract at hand or with that of its task."""
    config = MeshConfig(
        contracts="contracts.yaml",
        judge="provider/model",
        ledger=None,
        max_concurrency=8,
    )
    async with Mesh.from_config(config) as mesh:
        assert_type(mesh, Mesh)
        report = await mesh.grade(result, contract)
        assert_type(report, Report)
        await mesh.grade(result)
        await mesh.grade({"result_id": "r1", "task_id": "t1", "output": "Done."})
    assert_type(report.gate, Gate)
    assert_type(report.hard_success, bool)
    assert_type(report.outcome_score, float | None)
    assert_type(report.outcome_class, OutcomeClass | None)
    assert_type(report.primary_failure_reason_code, FailureCode | None)
    assert_type(report.evaluator_cost, Money | None)
    assert_type(report_from_json(report_to_json(report)), Report)
    return report.explanation


async def grade_many(results: list[AgentResult]) -> list[Report]:
    """A list, or a stream that is still being produced."""

    async def stream() -> AsyncIterator[AgentResult]:
        for result in results:
            yield result

    reports: list[Report] = []
    async with Mesh.from_config(
        contracts=["contracts.yaml"], ledger="sqlite:///ledger.db"
    ) as mesh:
        async for report in mesh.grade_many(results):
            assert_type(report, Report)
            reports.append(report)
        reports += [report async for report in mesh.grade_many(stream(), ordered=True)]
    return reports


def grade_without_await(results: list[AgentResult]) -> list[Report]:
    """From code that cannot await, one result or many."""
    assert_type(grade_sync(results[0], contracts="contracts.yaml"), list[Report])
    return grade_sync(results, MeshConfig(contracts="contracts.yaml"))


def count(reports: list[Report]) -> dict[Gate, int]:
    """The gate has three values, and a type checker knows them all."""
    counts = dict.fromkeys(Gate, 0)
    for report in reports:
        match report.gate:
            case Gate.PASS | Gate.FAIL | Gate.UNDECIDED as gate:
                counts[gate] += 1
            case _:
                assert_never(report.gate)
    return counts


def explain(verdict: Verdict) -> str:
    """Five kinds of verdict; a missing one is an error of the type checker."""
    match verdict:
        case Pass():
            return verdict.diagnostic
        case Fail():
            return ", ".join(verdict.codes)
        case Abstain() | Error():
            return f"{verdict.code}: {verdict.reason}"
        case Skipped():
            return verdict.reason
        case _:
            assert_never(verdict)


def read(answer: Answer) -> bool:
    """Six kinds of answer."""
    match answer:
        case Judged():
            return answer.vote is Vote.YES
        case Extracted() | Found() | RecordsFound():
            return True
        case NotFound() | Unanswered():
            return False
        case _:
            assert_never(answer)


@validator(name="polite", version="1", codes=(FailureCode.SYSTEM_PROMPT_VIOLATION,))
def polite(case: Case) -> Judgement:
    """The main form: a generator that yields needs by name and returns verdicts."""
    shown = Material("final_answer", case.result.output.final_answer or "")
    question = Ask(
        question_id="polite", question="Is the answer polite?", materials=(shown,)
    )
    answers = yield {"polite": question}
    assert_type(answers["polite"], Answer)
    if read(answers["polite"]):
        return [Pass(check="polite")]
    return [Fail(check="polite", codes=(FailureCode.SYSTEM_PROMPT_VIOLATION,))]


@validator(name="short", version="1", pure=True)
def short(case: Case) -> bool:
    """A plain function may say yes or no."""
    return len(case.result.output.final_answer or "") < 1000


@validator(name="slow", version="1", timeout_s=5)
async def slow(case: Case) -> Outcome:
    """An async function does its own I/O."""
    return [Pass(check=case.contract.task_id)]


def drive(case: Case) -> list[Verdict]:
    """A generator validator is tested by hand, without an event loop."""
    assert_type(polite, Validator)
    judgement = polite(case)
    assert isinstance(judgement, Generator)
    assert_type(next(judgement), Mapping[str, Need])
    try:
        judgement.send({"polite": Judged(vote=Vote.NO, reason="It shouts.")})
    except StopIteration as stop:
        verdicts: list[Verdict] = stop.value
        return verdicts
    return []


class Canned(Gateway):
    """A subclass with a name and two methods is a gateway."""

    name = "canned"

    async def complete(self, call: ModelCall) -> ModelReply:
        """Answer every call alike, or say why not."""
        if call.timeout_s < 1:
            raise JudgeTimeout("too little time", retry_after_s=1.0)
        return ModelReply(text='{"reason": "so it is", "answer": "yes"}')

    async def aclose(self) -> None:
        """Nothing to release."""


def with_own_judge() -> Mesh:
    """A gateway of one's own, validators of one's own."""
    gateway: Gateway = Canned()
    return Mesh(MeshConfig(judge=gateway, validators=[polite, short, slow, "sop"]))


def guarded(action: Callable[[], Any]) -> str:
    """One root for every error raised on purpose, one for what the user can mend."""
    try:
        action()
    except ContractError as error:
        return "\n".join(error.problems)
    except (ConfigError, InputError) as error:
        return f"{error.where}: {error.message} ({error.hint})"
    except LedgerError as error:
        return str(error)
    except JudgemeshError as error:
        return repr(error)
    return ""


def converted(messages: list[dict[str, object]]) -> list[AgentResult]:
    """One result by each reader of transcripts."""
    readers = (
        from_anthropic,
        from_autogen,
        from_google,
        from_langchain,
        from_llamaindex,
        from_openai,
        from_pydantic_ai,
        from_vercel,
    )
    found = [read(messages, task="t", actions=["refund"]) for read in readers]
    one: AgentResult = from_transcript(messages, task="t", format_name="messages")
    return [*found, one, *results_from(messages, task="t", answer="all")]


def version() -> str:
    """The version that is installed."""
    return __version__
