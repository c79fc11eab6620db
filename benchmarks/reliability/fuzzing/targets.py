"""What is fuzzed: each target takes bytes, and raises nothing but what it declares.

A target reads bytes as a part of judgemesh does that gets them from an agent, a model, a file or a page. The errors
that its function declares are answers; every other exception is a finding. Targets state what else must hold: a reply
that cannot be read has no verdict, text that was made harmless is harmless when it is read again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast
from zlib import crc32

from reliability.fuzzing.grading import grades

from judgemesh.contracts.errors import InputError, JudgeError
from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.identifiers import fold, identify, person, trim
from judgemesh.contracts.needs import Material
from judgemesh.contracts.opinions import Vote
from judgemesh.contracts.references import authors_of, split_authors, year_of
from judgemesh.contracts.result_parts.trace import Trace
from judgemesh.contracts.text.document_text import (
    Unreadable,
    csv_content,
    markdown_content,
)
from judgemesh.mesh.inputs.contracts import contract_of
from judgemesh.mesh.inputs.results import parse_result
from judgemesh.mesh.inputs.yaml import documents
from judgemesh.mesh.judging.gateways.wire import decision_reply, reply_of
from judgemesh.mesh.judging.prompting.frame import frame
from judgemesh.mesh.judging.prompting.sanitise import sanitise
from judgemesh.mesh.judging.replies.contradiction import stated
from judgemesh.mesh.judging.replies.first_token import read_first_token
from judgemesh.mesh.judging.replies.parse import (
    VERDICT_SCHEMA,
    read_data,
    read_verdict,
)
from judgemesh.mesh.judging.replies.quotes import stands_in
from judgemesh.mesh.judging.replies.several import read_verdicts
from judgemesh.mesh.pricing.usage import canonical_usage
from judgemesh.mesh.sources.evidence.document_text import read_document
from judgemesh.mesh.sources.protocols import SourceInaccessible
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.conversations.api import results_from
from judgemesh.mesh.tracing.findings.findings import findings_of
from judgemesh.mesh.tracing.readers.ingest import traces_in
from judgemesh.mesh.tracing.readers.protocol import TraceReader
from judgemesh.mesh.tracing.readers.registry import (
    reader_for,
    reader_named,
    reader_names,
)
from judgemesh.mesh.tracing.readers.source import TraceBytes
from judgemesh.prompts.loader import load

Target = Callable[[bytes], None]


class Broken(Exception):
    """What a target promises does not hold."""


def _must(holds: bool, otherwise: str) -> None:  # noqa: FBT001 (a condition)
    if not holds:
        raise Broken(otherwise)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


# --- what a user or an agent wrote ---


def contracts(data: bytes) -> None:
    """A contract in YAML; procedure rules are a part of it."""
    try:
        for document in documents(_text(data), "fuzz.yaml"):
            contract_of(document.data)
    except (InputError, ValueError):
        return


def results(data: bytes) -> None:
    """A line of results: one that is read can be written and read again."""
    try:
        result = parse_result(data)
    except InputError:
        return
    _must(bool(result.result_id and result.task_id), "a result without its ids")
    again = parse_result(json.dumps(result.model_dump(mode="json")).encode())
    _must(again.result_id == result.result_id, "a result of another id")


def steps(data: bytes) -> None:
    """A trace or transcript inside of a result."""
    with suppress(ValueError):
        Trace.model_validate(_json(data))


# --- traces and transcripts of files ---


def exports(data: bytes) -> None:
    """A file of traces of some format: read, priced, and its findings."""
    source = TraceBytes(Path("fuzz"), keeps_content=True, data=data)
    try:
        # One in four is read as a format that it may not be: `--format` names any.
        is_named = crc32(data) % 4 == 0
        reader = _some_reader(data) if is_named else reader_for(source)
        for trace in traces_in(source, reader, lambda _: None):
            run = priced(trace)
            findings_of(run, bill_of(run))
    except InputError:
        return


def _some_reader(data: bytes) -> TraceReader:
    names = reader_names()
    return reader_named(names[crc32(data[::-1]) % len(names)])


def transcripts(data: bytes) -> None:
    """A transcript: each conversation becomes a result that can be read again."""
    try:
        found = results_from(data, task="t", actions=("refund",))
    except InputError:
        return
    for result in found:
        again = parse_result(json.dumps(result.model_dump(mode="json")).encode())
        _must(again.result_id == result.result_id, "a result of another id")


# --- what a judge answers, and what it is shown ---


def replies(data: bytes) -> None:
    """A judge's reply: a verdict of the three words, or an error."""
    reply = ModelReply(text=_text(data), finish_reason="stop")
    with suppress(JudgeError):
        reading = read_verdict(reply)
        _must(reading.vote in Vote, "a verdict of another word")
        stated(reading.reason)
    with suppress(JudgeError):
        read_verdicts(reply, 3)
    with suppress(JudgeError):
        read_data(reply, VERDICT_SCHEMA)


def bodies(data: bytes) -> None:
    """The body of a provider's answer."""
    value = _json(data)
    if not isinstance(value, dict):
        return
    body = cast("dict[str, object]", value)
    call = ModelCall(model="m", messages=(), questions=("Is it?", "Is it not?"))
    with suppress(JudgeError):
        counts = body.get("usage")
        is_usage = isinstance(counts, dict)
        usage = canonical_usage(cast("dict[str, Any]", counts)) if is_usage else None
        reply = reply_of(body, usage, as_tool="tools" in body)
        read_first_token(reply.first_token or ())
        read_verdict(reply)
    with suppress(JudgeError):
        decision_reply(body, call)


def hostile(data: bytes) -> None:
    """Text for a judge: doing it again changes nothing."""
    once = sanitise(_text(data))
    again = sanitise(once.text)
    _must(again.text == once.text, "made harmless again, it changes")


def frames(data: bytes) -> None:
    """Materials and a question in a prompt that has room for a part of them."""
    text = _text(data)
    half = len(text) // 2
    materials = (Material("trace", text[:half]), Material("final_answer", text[half:]))
    budget = 400 + crc32(data) % 2_000
    framed = frame(load("yes_no.v1"), materials, criterion=text[:200], budget=budget)
    stands_in(text[half : half + 40], framed.evidence)


# --- evidence ---


def citations(data: bytes) -> None:
    """What an answer cites: identifiers, people, years."""
    text = _text(data)
    found = identify(text)
    _must(found is None or all(found), "an identifier without scheme or value")
    fold(text)
    trim(text)
    person(text)
    split_authors(text)
    authors_of(text)
    year_of(text)


def pages(data: bytes) -> None:
    """A document: the first line is its kind (`html`, `md`, `txt`, `pdf`, `docx`)."""
    kind, _, body = data.partition(b"\n")
    with suppress(SourceInaccessible):
        read_document(body, _text(kind))
    for read in (markdown_content, csv_content):
        with suppress(Unreadable):
            read(_text(body))


TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {
        "contracts": contracts,
        "results": results,
        "steps": steps,
        "exports": exports,
        "transcripts": transcripts,
        "replies": replies,
        "bodies": bodies,
        "hostile": hostile,
        "frames": frames,
        "citations": citations,
        "pages": pages,
        "procedures": grades,
        "cited": grades,
        "claims": grades,
        "executions": grades,
        "states": grades,
        "outputs": grades,
    }
)
"""Every target by its name. The last six grade; they differ in their seeds."""

SHARES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "contracts": 14,
        "results": 12,
        "steps": 4,
        "exports": 2,
        "transcripts": 1,
        "replies": 16,
        "bodies": 14,
        "hostile": 2,
        "frames": 1,
        "citations": 14,
        "pages": 6,
        "procedures": 4,
        "cited": 3,
        "claims": 4,
        "executions": 3,
        "states": 4,
        "outputs": 4,
    }
)
"""How the executions are divided: a target that takes a tenth of the time of another gets more of them."""
