"""The HTML report of a run with many results: size, time, memory, and what a browser makes of it.

    python benchmarks/html_report.py            # 10,000 results
    python benchmarks/html_report.py 1000

Prints how long writing takes, by how much the memory of the process grows while it writes (a small report is written
first, so that libraries and templates are loaded), the size of the file, and, where Chromium and Playwright are
installed, the time from the request to the first screen and to the finished list, and the number of DOM elements.
"""

from __future__ import annotations

import asyncio
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import DETERMINISTIC, Fail, Pass, Verdict
from judgemesh.mesh.analysis.results.loading import run_page_of
from judgemesh.mesh.analysis.results.result_page import (
    KeptContent,
    ResultPage,
    result_page,
)
from judgemesh.mesh.reporting.html.run_report import write_run_report

RESULTS = 10_000
WARM_UP = 200
RUN = "run_benchmark"
CODES = (
    FailureCode.MISSING_REQUIRED_FIELD,
    FailureCode.ACTION_NOT_EXECUTED,
    FailureCode.CITATION_NOT_FOUND,
)
CHECKS = (
    "completion",
    "required_fields",
    "execution",
    "citations",
    "claims",
    "sop",
    "state",
    "criteria",
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def report_of(number: int) -> Report:
    """A report with eight verdicts; every third result fails."""
    failed = number % 3 == 0
    code = CODES[number % len(CODES) if number % 9 else 0]
    verdicts = tuple(
        ValidatorVerdict(
            validator_name=name,
            validator_version="1",
            validator_type="deterministic",
            verdict=_verdict(number, at, code if failed else None),
            gating=True,
            latency_ms=1.5,
        )
        for at, name in enumerate(CHECKS)
    )
    return Report(
        result_id=f"result-{number:06d}",
        task_id=f"task-{number // 2:05d}",
        eval_contract_version="1",
        evaluator_version="1",
        gate=Gate.FAIL if failed else Gate.PASS,
        verdicts=verdicts,
        outcome_score=5.0 + number % 5,
        primary_failure_reason_code=code if failed else None,
        failure_reason_codes=(code,) if failed else (),
        outcome_class=OutcomeClass.PARTIAL_MINUS if failed else OutcomeClass.COMPLETE,
        confidence=DETERMINISTIC,
        agent_cost=Money(Decimal(number % 97) / 1000),
        agent_latency_ms=1000.0 + number % 5000,
        explanation=f"The gate of result {number} was decided by its checks.",
    )


def _verdict(number: int, at: int, code: FailureCode | None) -> Verdict:
    if code is not None and at == number % len(CHECKS):
        return Fail(
            check=f"field:{number % 7}",
            codes=(code,),
            diagnostic=f"expected a value in field {number % 7}, found nothing",
            evidence_refs=("trace:2",),
            confidence=DETERMINISTIC,
        )
    return Pass(check="all", evidence_refs=("trace:1",), confidence=DETERMINISTIC)


def page_of(number: int) -> ResultPage:
    """The page of a result with an answer of 2 kB and a conversation of four steps."""
    answer = f"Answer {number}: " + f"the ticket {number} was closed on Monday. " * 50
    steps = [
        {"step_id": 1, "role": "user", "content": f"Close ticket {number}."},
        {
            "step_id": 2,
            "tool_name": "close_ticket",
            "arguments": {"ticket": number, "note": "closed as asked " * 10},
            "result": {"status": "closed", "ticket": number},
        },
        {"step_id": 3, "role": "assistant", "content": answer},
    ]
    content = {
        "result": {"output": {"final_answer": answer}, "trace": {"steps": steps}}
    }
    return result_page(report_of(number), run_id=RUN, kept=KeptContent(content=content))


async def reports(count: int) -> AsyncIterator[Report]:
    """The reports of a run."""
    for number in range(count):
        yield report_of(number)


async def pages(count: int) -> AsyncIterator[ResultPage]:
    """The pages of a run's results."""
    for number in range(count):
        yield page_of(number)


async def write(path: Path, count: int) -> None:
    """The report of a run with `count` results."""
    run = await run_page_of(reports(count), run_id=RUN)
    with path.open("wb") as file:
        await write_run_report(file, run, pages(count))


def peak_mb() -> float:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def look(path: Path) -> None:
    """Print what a browser says, where there is one."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("browser         no chromium is installed")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri(), wait_until="commit")
        page.wait_for_selector("body[data-ready]")
        first = page.evaluate(
            "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        )
        ready = page.evaluate("performance.getEntriesByName('ready')[0].startTime")
        nodes = page.evaluate("document.getElementsByTagName('*').length")
        print(f"first screen    {first:,.0f} ms after the request")
        print(f"list of results {ready:,.0f} ms after the request")
        print(f"DOM             {nodes:,} elements")
        browser.close()


def main(count: int) -> None:
    """Write the report and print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        asyncio.run(write(path, WARM_UP))
        before = peak_mb()
        begin = time.perf_counter()
        asyncio.run(write(path, count))
        took = time.perf_counter() - begin
        print(f"results         {count:,}")
        print(f"written in      {took:.1f} s ({1000 * took / count:.2f} ms a result)")
        print(f"extra memory    {peak_mb() - before:.1f} MB")
        print(f"file            {path.stat().st_size / 1e6:.1f} MB")
        look(path)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RESULTS)
