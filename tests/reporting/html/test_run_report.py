"""The report of a run as a file: what stands in it, and that it is written as a stream."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
from collections.abc import AsyncIterator, Sequence

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Verdict
from judgemesh.mesh.analysis.results.loading import run_page_of
from judgemesh.mesh.analysis.results.result_page import (
    KeptContent,
    ResultPage,
    result_page,
)
from judgemesh.mesh.reporting.html.result_view import ResultView
from judgemesh.mesh.reporting.html.run_report import write_run_report

RUN = "run-1"
CODE = FailureCode.MISSING_REQUIRED_FIELD
CHUNK = re.compile(r'<script type="text/plain" id="chunk-(\d+)">([^<]*)</script>')
ROWS = re.compile(r'<script type="application/json" class="rows">([^<]*)</script>')
STEPS = [
    {"step_id": 1, "role": "user", "content": "please"},
    {"step_id": "b", "tool_name": "call", "result": {"done": False}},
]
FAILED = Fail(codes=(CODE,), diagnostic="<b>nothing</b>", evidence_refs=("trace:b:7",))


def page_of(number: int, verdict: Verdict, gate: Gate, answer: str = "") -> ResultPage:
    row = ValidatorVerdict(
        validator_name="fields",
        validator_version="1",
        validator_type="deterministic",
        verdict=verdict,
        gating=True,
    )
    codes = (CODE,) if gate is Gate.FAIL else ()
    report = Report(
        result_id=f"r/{number}",
        task_id="t",
        eval_contract_version="1",
        evaluator_version="1",
        gate=gate,
        verdicts=(row,),
        primary_failure_reason_code=codes[0] if codes else None,
        failure_reason_codes=codes,
    )
    content = {
        "result": {"output": {"final_answer": answer}, "trace": {"steps": STEPS}}
    }
    return result_page(report, run_id=RUN, kept=KeptContent(content=content))


PAGES = [
    page_of(1, FAILED, Gate.FAIL),
    page_of(2, Pass(), Gate.PASS),
    page_of(3, Abstain(), Gate.UNDECIDED),
]


async def written(pages: Sequence[ResultPage]) -> str:
    async def each() -> AsyncIterator[ResultPage]:
        for page in pages:
            yield page

    run = await run_page_of([page.report for page in pages], run_id=RUN)
    file = io.BytesIO()
    await write_run_report(file, run, each(), warnings=["<i>careful</i>"])
    return file.getvalue().decode()


def parts_of(html: str) -> list[list[str]]:
    return [
        json.loads(gzip.decompress(base64.b64decode(packed)))
        for _, packed in CHUNK.findall(html)
    ]


@pytest.mark.anyio
async def test_every_row_names_its_page() -> None:
    html = await written(PAGES)
    rows = [row for text in ROWS.findall(html) for row in json.loads(text)]
    parts = parts_of(html)
    assert [row[0] for row in rows] == ["r/1", "r/2", "r/3"]
    assert [row[11] for row in rows] == ["f", "p", "a"]
    for row in rows:
        chunk, place = row[-2:]
        assert f"<bdi>{row[0]}</bdi></h1>" in parts[chunk][place]


@pytest.mark.anyio
async def test_text_is_escaped_in_the_page_of_a_result() -> None:
    html = await written(PAGES)
    ((failed, *_),) = parts_of(html)
    assert "&lt;b&gt;nothing&lt;/b&gt;" in failed
    assert "<b>" not in failed
    assert "&lt;i&gt;careful&lt;/i&gt;" in html


@pytest.mark.anyio
async def test_large_answers_have_chunks_of_their_own() -> None:
    big = "x" * 2**18
    html = await written([page_of(n, Pass(), Gate.PASS, big) for n in range(3)])
    assert [len(parts) for parts in parts_of(html)] == [1, 1, 1]


@pytest.mark.anyio
async def test_a_run_without_results_has_a_report() -> None:
    html = await written([])
    assert "0 of 0 results passed" in html
    assert CHUNK.findall(html) == []


@pytest.mark.anyio
async def test_pages_are_asked_for_one_by_one() -> None:
    big = "x" * 2**18
    sizes: list[int] = []
    file = io.BytesIO()

    async def each() -> AsyncIterator[ResultPage]:
        for number in range(4):
            sizes.append(file.tell())
            yield page_of(number, Pass(), Gate.PASS, big)

    run = await run_page_of([page.report for page in PAGES], run_id=RUN)
    await write_run_report(file, run, each())
    assert sizes == sorted(set(sizes))


def test_references_lead_to_the_part_that_shows_them() -> None:
    view = ResultView(PAGES[0], "#result/x/")
    assert view.anchor("trace:b:7") == "step-2"
    assert view.anchor("trace:1") == "step-1"
    assert view.anchor("final_answer:L3") == "answer"
    assert view.anchor("record:tickets/17") is None
    assert [name for name, _ in view.parts()] == ["verdicts", "conversation"]
