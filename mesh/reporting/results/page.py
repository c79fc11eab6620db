"""One result in full on a terminal: `judgemesh report RESULT_ID`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.opinions import Opinion
from judgemesh.mesh.analysis.results.conversation import ConversationStep
from judgemesh.mesh.analysis.results.judged import JudgeAnswer
from judgemesh.mesh.analysis.results.result_page import ResultPage, TimelineStep
from judgemesh.mesh.reporting.results.quoted import (
    Quoted,
    heading,
    json_text,
    short_json,
)
from judgemesh.mesh.reporting.results.report import (
    KIND_STYLES,
    confidence_text,
    head_view,
    verdict_view,
    votes_text,
)
from judgemesh.mesh.reporting.tables import add_columns, hanging, plain_table
from judgemesh.mesh.reporting.text import amount, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_CALL_CHARS: Final = 300
_MAX_STEPS: Final = 200
_NO_CONTENT: Final = (
    "The ledger does not hold the answer and the conversation: the result was graded with --no-content, or by an older"
    " release."
)


def page_view(page: ResultPage, *, whole: bool) -> Iterator[RenderableType]:
    """Gate and reason, what the agent said and did, then every verdict and what it rests on.

    whole: every step; else the first 200 of conversation and timeline.
    """
    most = sys.maxsize if whole else _MAX_STEPS
    yield from head_view(page)
    yield from _content(page, most)
    yield from heading("Verdicts", "those that decided the gate come first")
    for placed in page.verdicts:
        yield from verdict_view(placed)
    yield from _claims(page)
    yield from _citations(page)
    yield from _passages(page)
    yield from _state(page)
    yield from _records(page)
    yield from _questions(page)
    yield from _timeline(page, most)


def _content(page: ResultPage, most: int) -> Iterator[RenderableType]:
    from rich.text import Text

    if not page.content_kept:
        yield from heading("Answer")
        yield Text(_NO_CONTENT, "yellow")
        return
    note = ""
    if page.cut_at_bytes is not None:
        note = f"texts were cut at {page.cut_at_bytes:,} bytes when they were kept"
    yield from heading("Answer", note)
    if page.answer is None:
        yield Text("  none", "dim")
    else:
        yield Quoted(page.answer)
    if page.outputs:
        yield from heading("Outputs")
        for name, value in page.outputs.items():
            yield Quoted(f"{one_line(name, 80)}: {json_text(value)}")
    if page.conversation:
        yield from _conversation(page, most)
    for name, why in page.problems.items():
        yield Text("")
        yield hanging(
            Text("not read:", "yellow"), Text(f"{one_line(name)}: {one_line(why)}")
        )


def _conversation(page: ResultPage, most: int) -> Iterator[RenderableType]:
    from rich.text import Text

    note = plural(len(page.conversation), "step")
    if page.deciding_step is not None:
        note += f"; >> marks what decided the gate, step {page.deciding_step.number}"
    yield from heading("Conversation", note)
    for step in page.conversation[:most]:
        yield from _step(step)
    more = len(page.conversation) - most
    if more > 0:
        later = [s.number for s in page.conversation[most:] if s.decides]
        decides = (
            f", of which {', '.join(map(str, later[:5]))} decided" if later else ""
        )
        yield Text(
            f"   and {plural(more, 'more step')}{decides}; --plain shows all", "dim"
        )


def _step(step: ConversationStep) -> Iterator[RenderableType]:
    from rich.text import Text

    mark = ">>" if step.decides else "  "
    who = step.role or ("tool" if step.tool else step.state_type or "step")
    head = Text.assemble(
        (mark, "bold red"), f"{step.number:>4}  ", (one_line(who, 40), "bold")
    )
    if step.error or step.status not in (None, "success", "ok", "completed"):
        head.append(f"  {one_line(step.error or step.status or '', 80)}", "red")
    yield head
    if step.text:
        yield Quoted(step.text, indent=8)
    if step.tool is not None:
        called = f"{one_line(step.tool, 80)}({short_json(step.arguments or {}, _CALL_CHARS)})"
        yield Quoted(called, indent=8, style="cyan")
    if step.result is not None:
        yield Quoted(f"-> {json_text(step.result)}", indent=8)


def _claims(page: ResultPage) -> Iterator[RenderableType]:
    from rich.text import Text

    if not page.claims:
        return
    yield from heading("Claims", plural(len(page.claims), "claim"))
    for claim in page.claims:
        kind = Text(f"  {claim.kind:<6}", KIND_STYLES[claim.kind])
        yield hanging(kind, Text(one_line(claim.text)))
        places = f" [{', '.join(map(one_line, claim.refs))}]" if claim.refs else ""
        yield Quoted(f"{claim.why}{places}", indent=10, style="dim")


def _citations(page: ResultPage) -> Iterator[RenderableType]:
    from rich.text import Text

    if not page.citations:
        return
    yield from heading("Citations", plural(len(page.citations), "citation"))
    for citation in page.citations:
        kind = Text(f"  {citation.kind:<6}", KIND_STYLES[citation.kind])
        yield hanging(kind, Text(one_line(citation.label)))
        if citation.why:
            yield Quoted(citation.why, indent=10, style="dim")
        for name, value in citation.found:
            found = f"source holds {one_line(name)}: {one_line(value, 200)}"
            yield Quoted(found, indent=10, style="dim")


def _passages(page: ResultPage) -> Iterator[RenderableType]:
    from rich.text import Text

    if not page.passages:
        return
    yield from heading("Evidence", "texts that verdicts refer to")
    for passage in page.passages:
        title = (
            "" if passage.title == passage.ref else f"  {one_line(passage.title, 100)}"
        )
        name = Text.assemble((one_line(passage.ref), "bold"), (title, "dim"))
        yield hanging(Text(""), name)
        yield Quoted(passage.text, indent=4)


def _state(page: ResultPage) -> Iterator[RenderableType]:
    if not page.state:
        return
    yield from heading("State", plural(len(page.state), "change"))
    for change in page.state:
        line = f"{change.op} {one_line(change.path) or '(the document)'}"
        if change.op != "add":
            line += f"\n  before: {json_text(change.before)}"
        if change.op != "remove":
            line += f"\n  after:  {json_text(change.after)}"
        yield Quoted(line)


def _records(page: ResultPage) -> Iterator[RenderableType]:
    if not page.records:
        return
    yield from heading("Records", plural(len(page.records), "record"))
    for record in page.records:
        parts = [record.kind]
        if record.target is not None:
            parts.append(f"target {record.target}")
        if record.confirmation_id is not None:
            parts.append(f"confirmation {record.confirmation_id}")
        if record.status is not None:
            parts.append(f"status {record.status}")
        parts.extend(
            f"{name} {json_text(value)}" for name, value in record.parameters.items()
        )
        brought = " (brought by the result)" if record.source == "result" else ""
        yield Quoted(one_line(", ".join(parts)) + brought)


def _questions(page: ResultPage) -> Iterator[RenderableType]:
    from rich.text import Text

    if not page.questions:
        return
    yield from heading("Judge", plural(len(page.questions), "question"))
    for question in page.questions:
        name = Text.assemble(
            (one_line(question.question_id), "bold"),
            (f"  {one_line(question.validator)}", "dim"),
        )
        yield hanging(Text(""), name)
        if question.question:
            yield Quoted(question.question, indent=4)
        if question.opinion is not None:
            yield hanging(Text("  "), Text(_opinion(question.opinion)))
        for answer in question.answers:
            yield from _answer(answer)


def _opinion(opinion: Opinion) -> str:
    from judgemesh.contracts.verdicts import Confidence

    verdict = "broke" if opinion.verdict is None else opinion.verdict.value
    confidence = confidence_text(Confidence(opinion.stability, opinion.correctness))
    return f"{verdict}; votes {votes_text(opinion)}; {confidence}"


def _answer(answer: JudgeAnswer) -> Iterator[RenderableType]:
    from rich.text import Text

    notes = [f"{answer.latency_ms:.0f} ms"]
    if answer.from_cache:
        notes.append("from the cache")
    if answer.cost is None:
        notes.append("cost unknown")
    elif answer.cost.amount:
        notes.append(f"cost {amount(answer.cost)}")
    said = one_line(answer.error or answer.vote or "no vote")
    line = Text.assemble(
        one_line(answer.model),
        (f", sample {answer.sample}, attempt {answer.attempt}: ", "dim"),
        said,
        (f", {', '.join(notes)}", "dim"),
    )
    yield hanging(Text("  "), line)
    text = answer.reason if answer.reply is None else answer.reply
    if text:
        yield Quoted(text, indent=6)


def _timeline(page: ResultPage, most: int) -> Iterator[RenderableType]:
    if page.timeline:
        yield from heading("Timeline", plural(len(page.timeline), "step"))
        yield _timeline_table(page.timeline[:most])


def _timeline_table(steps: tuple[TimelineStep, ...]) -> Table:
    table = plain_table()
    add_columns(table, "", "step", "state", "tools", justify="left")
    add_columns(table, "start ms", "ms", "tokens", "cost")
    for step in steps:
        tokens = "-"
        if step.input_tokens is not None:
            tokens = f"{step.input_tokens:,}+{step.output_tokens or 0:,}"
        table.add_row(
            ">>" if step.decides else "",
            str(step.step_id),
            step.state_type,
            one_line(", ".join(step.tools), 20) or "-",
            "-" if step.start_ms is None else f"{step.start_ms:,.0f}",
            "-" if step.latency_ms is None else f"{step.latency_ms:,.0f}",
            tokens,
            " + ".join(map(amount, step.cost)) or "-",
        )
    return table
