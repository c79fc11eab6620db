"""How fast the pages of the viewer are over a large ledger, and beside their bare SQL.

    python benchmarks/view.py [--results 1000000] [--rounds 9] [--keep FILE] [--limit-ms 100]

Builds an SQLite ledger: reports written by the store, multiplied by SQL through the real schema, with verdicts, failure
codes, contents, judge calls, opinions and traces; a second run has a tenth of the results. Then starts `judgemesh view`
and asks every kind of page over HTTP, among them the first, a middle and the last page of a list and every filter.

Prints one JSON line: for each page the median and the largest time in ms (`ms`, `max_ms`), the median time of its SQL
statements alone, replayed by the sqlite3 module (`sql_ms`), and their ratio (`ratio`). `cpu_ms`: CPU time of the page
in the application, which other work on the machine does not change. `ready_s`: how long the answers
take that are worked out in the background (comparison, queue of labels); their pages show that they are waiting.
`rewrite_s`: how long a migration takes that makes the summary rows of this ledger. Exit code 1 if the median of a page
is above `--limit-ms` (100).
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import httpx
from sqlalchemy import Engine, event

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.opinions import Opinion, Vote
from judgemesh.contracts.report import Gate, OutcomeClass, Report, ValidatorVerdict
from judgemesh.contracts.tracing import Costs, CostStatus, StateType, Step, Trace
from judgemesh.contracts.verdicts import Abstain, Fail, Pass, Verdict
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.schema.summary_queries import make_summaries
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.viewer.addresses import Addresses
from judgemesh.mesh.viewer.app import create_app
from judgemesh.mesh.viewer.paging import encoded
from judgemesh.mesh.viewer.rendering import address
from judgemesh.mesh.viewer.security import Access
from judgemesh.mesh.viewer.viewer import Viewer

LIMIT_MS = 100.0
"""Of the median of each page on an idle machine."""
IN_PROGRESS = 'class="live"'
"""Stands in a page whose answer is being worked out. The viewer waits a moment before it says so."""
NOW = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)
CODES = (
    FailureCode.MISSING_REQUIRED_FIELD,
    FailureCode.WRONG_FACT,
    FailureCode.UNAUTHORIZED_ACTION,
    FailureCode.DUPLICATE_EXECUTION,
)
KINDS = 10
"""Templates of results: six pass, three fail, one is undecided; numbered by the last digit of a result."""
ANSWER = "Your parcel left our house on Monday; it is in Basel by Wednesday. " * 12


def template(number: int) -> Report:
    """The report that a tenth of the results repeat."""
    opinion = Opinion(
        question_id="polite",
        question="Is the answer polite?",
        criterion="sha256:c",
        gating=True,
        model="model_x",
        prompts="sha256:p",
        leader=Vote.YES,
        verdict=Vote.YES,
        votes_yes=3,
        stability=0.5 + number / 20,
    )
    gate, last = _ending(number)
    code = CODES[number % len(CODES)]
    verdicts: Sequence[Verdict] = (Pass(check="polite", opinion=opinion), last)
    return Report(
        result_id=f"template{number}",
        task_id="task",
        eval_contract_version="1",
        evaluator_version="0.1.0",
        gate=gate,
        verdicts=tuple(
            ValidatorVerdict(
                validator_name=name,
                validator_version="1",
                validator_type="deterministic",
                verdict=verdict,
                gating=True,
            )
            for name, verdict in zip(("criteria", "facts"), verdicts, strict=True)
        ),
        outcome_score=8.0 if gate is Gate.PASS else None,
        outcome_class=OutcomeClass.COMPLETE if gate is Gate.PASS else None,
        primary_failure_reason_code=code if gate is Gate.FAIL else None,
        failure_reason_codes=(code,) if gate is Gate.FAIL else (),
        agent_cost=Money(Decimal("0.25")),
    )


def _ending(number: int) -> tuple[Gate, Verdict]:
    if number < 6:
        return Gate.PASS, Pass(check="fact")
    if number < 9:
        code = CODES[number % len(CODES)]
        return Gate.FAIL, Fail(check="fact", codes=(code,), diagnostic="12 is not 21")
    return Gate.UNDECIDED, Abstain(check="fact", diagnostic="no source has it")


async def write_templates(path: Path) -> None:
    """The runs, and one row of everything that is multiplied."""
    content = {"result": {"output": {"final_answer": ANSWER}}}
    async with await Ledger.open(str(path)) as ledger:
        for run_id in ("template", "large", "small"):
            await ledger.begin_run(
                RunRecord(run_id=run_id, run_key=run_id, created_at=NOW)
            )
            await ledger.finish_run(
                run_id, finished_at=NOW, status="finished", summary={}
            )
        for number in range(KINDS):
            await ledger.write_report(
                "template",
                template(number),
                result_digest="d",
                input_index=0,
                created_at=NOW,
                content=lambda: content,
            )
        attempt = JudgeAttempt(
            validator_name="criteria",
            question_id="polite",
            model_requested="model_x",
            prompt_name="yes_no",
            prompt_digest="sha256:p",
            message_digest="sha256:m",
            created_at=NOW,
            latency_ms=12.5,
            status="ok",
            cost=Money(Decimal("0.001")),
            vote="yes",
        )
        await ledger.write_attempt("template", "template0", attempt)
        trace = _trace()
        await ledger.write_trace(trace, bill_of(trace).totals, created_at=NOW)


def _trace() -> Trace:
    money = Money(Decimal("0.01"))
    states = (StateType.THINK, StateType.API_CALL, StateType.VALIDATE)
    steps = [
        Step(
            trace_id="template",
            step_id=at,
            state_type=state,
            costs=Costs(tool=money, state=money),
            cost_status=CostStatus.REPORTED,
        )
        for at, state in enumerate(states)
    ]
    return Trace(trace_id="template", steps=tuple(steps), agent_id="agent")


def multiply(path: Path, run_id: str, results: int, *, shift: int = 0) -> None:
    """Repeat the templates. shift: how the kinds of a second run are turned, so that some of its gates differ."""
    kind = f"'template' || CASE WHEN i % 7 = 0 THEN (i + {shift}) % {KINDS} ELSE i % {KINDS} END"
    result_id = "printf('r%07d', i)"
    common = {
        "run_id": f"'{run_id}'",
        "eval_id": f"'{run_id}:' || {result_id}",
        "result_id": result_id,
        "created_at": "printf('2026-04-%02d 10:00:00.000000', 1 + i % 28)",
        "input_index": "i",
        "task_id": f"printf('task%d', i % {max(results // 100, 1)})",
    }
    one = f"old.eval_id = 'template:' || {kind}"
    fifth = f"{one} AND i % 5 = 0"
    call = {"judge_call_id": "NULL", **common}
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA cache_size=-200000")
        connection.execute("CREATE TEMP TABLE numbers (i INTEGER PRIMARY KEY)")
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)"
            " INSERT INTO numbers SELECT i FROM n",
            (results,),
        )
        for table in (
            "eval_task_result",
            "eval_validator_result",
            "eval_failure_code",
            "eval_result_content",
        ):
            _repeat(connection, table, common, one)
        _repeat(connection, "judge_opinion", common, fifth)
        _repeat(connection, "judge_call", call, "i % 5 = 0")
        if not shift:
            trace = {
                "trace_id": "printf('trace%07d', i)",
                "start_time": common["created_at"],
            }
            for table in ("trace_run", "trace_step"):
                _repeat(
                    connection, table, trace, "i % 20 = 0 AND old.trace_id = 'template'"
                )
        connection.commit()


def _repeat(
    connection: sqlite3.Connection, table: str, changed: dict[str, str], where: str
) -> None:
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(changed.get(name, f"old.{name}") for name in names)
    rows = f"(SELECT * FROM {table})"  # noqa: S608 (names of our own)
    if table == "judge_call":
        rows = "(SELECT * FROM judge_call WHERE run_id = 'template')"
    connection.execute(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values}"  # noqa: S608 (names of our own)
        f" FROM numbers CROSS JOIN {rows} AS old WHERE {where}"
    )


def rewrite_summaries(path: Path) -> float:
    """Seconds to make the summary rows of the whole ledger, as a migration does."""
    started = time.perf_counter()
    engine = writing_engine(parse_address(str(path)), 60)
    with engine.begin() as connection:
        make_summaries(connection)
    engine.dispose()
    return time.perf_counter() - started


def pages(results: int) -> dict[str, str]:
    """Every kind of page, by name. Pages that are worked out in the background come last."""
    middle, last = f"r{results // 2:07}", f"r{results - 2:07}"
    code = CODES[8 % len(CODES)].value

    def run(**where: str) -> str:
        return address("/run", id="large", **where)

    return {
        "runs": "/",
        "run": run(),
        "run_middle": run(after=encoded(("pass", middle))),
        "run_last": run(after=encoded(("pass", last))),
        "run_undecided": run(gate="undecided"),
        "run_code": run(code=code),
        "run_code_middle": run(code=code, after=encoded(("fail", middle))),
        "run_code_gate_none": run(code=code, gate="pass"),
        "run_prefix": run(q=middle[:5]),
        "run_prefix_none": run(q="nobody"),
        "run_prefix_gate_code": run(q=middle[:4], gate="fail", code=code),
        "run_task": run(task="task7"),
        "run_task_code": run(task="task7", code=code),
        "run_part_figures": run(part="figures"),
        "run_part_results": run(part="results"),
        "result": address("/result", run="large", id=middle),
        "result_last": address("/result", run="large", id=last),
        "failures": "/failures",
        "failures_run": address("/failures", run="large"),
        "costs": "/costs",
        "costs_run": address("/costs", run="large"),
        "judges": "/judges",
        "judges_run": address("/judges", run="large"),
        "labels": address("/labels", run="large"),
        "compare": address("/compare", a="large", b="small"),
    }


def warm(ask: Callable[[str], str], names: dict[str, str]) -> dict[str, float]:
    """Ask for what is worked out in the background until it is there; the seconds that took."""
    ready: dict[str, float] = {}
    for name in ("labels", "compare"):
        started = time.perf_counter()
        while IN_PROGRESS in ask(names[name]):
            pass
        ready[name] = round(time.perf_counter() - started, 2)
    return ready


def served(
    path: Path, names: dict[str, str], rounds: int
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Milliseconds of each page in each round over HTTP, and the seconds of the answers in the background."""
    program = str(Path(sys.executable).with_name("judgemesh"))
    command = [program, "view", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://\S+", line)
            if found is None:
                raise SystemExit(f"no address in {line!r}")
            place = urlsplit(found[0]).netloc
            connection = http.client.HTTPConnection(place, timeout=600)

            def ask(page: str) -> str:
                connection.request("GET", page)
                answer = connection.getresponse()
                text = answer.read().decode()
                if answer.status != 200:
                    raise SystemExit(f"{page}: {answer.status}")
                return text

            times: dict[str, list[float]] = {name: [] for name in names}
            for name, page in names.items():
                ask(page)  # the first one imports and compiles
                if name in {"labels", "compare"}:
                    times[name].append(_timed(partial(ask, page)))
            ready = warm(ask, names)
            for _ in range(rounds):
                for name, page in names.items():
                    times[name].append(_timed(partial(ask, page)))
            connection.close()
        finally:
            process.send_signal(signal.SIGINT)
    return times, ready


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


async def statements_of(
    path: Path, names: dict[str, str]
) -> dict[str, tuple[list[tuple[str, Any]], float]]:
    """The SQL of each page, noted while the application answers in this process, and the CPU time of that in ms."""
    noted: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        if statement.startswith("SELECT"):
            noted.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    found: dict[str, tuple[list[tuple[str, Any]], float]] = {}
    async with await Ledger.open(str(path), read_only=True) as ledger:
        viewer = Viewer(
            ledger=ledger, access=Access(Addresses("127.0.0.1", 80)), labeler="x"
        )
        transport = httpx.ASGITransport(app=create_app(viewer))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1"
        ) as client:
            for name in ("labels", "compare"):
                answer = await client.get(names[name])
                while IN_PROGRESS in answer.text:
                    answer = await client.get(names[name])
            for name, page in names.items():
                noted.clear()
                await client.get(page)
                noted.clear()
                started = time.process_time()
                await client.get(page)
                found[name] = list(noted), (time.process_time() - started) * 1000
        await viewer.jobs.close()
    event.remove(Engine, "before_cursor_execute", note)
    return found


def replayed(path: Path, statements: list[tuple[str, Any]], rounds: int) -> float:
    """Median milliseconds of the statements alone."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:

        def ask() -> None:
            for statement, parameters in statements:
                connection.execute(statement, parameters).fetchall()

        ask()
        return median(_timed(ask) for _ in range(rounds))


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Milliseconds of the viewer's pages over a large ledger."
    )
    parser.add_argument("--results", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=9, metavar="N")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="ledger to make, or to use again"
    )
    parser.add_argument("--limit-ms", type=float, default=LIMIT_MS, metavar="MS")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="judgemesh_view_") as scratch:
        path = arguments.keep or Path(scratch) / "ledger.db"
        rewrite_s = None
        if not path.exists():
            asyncio.run(write_templates(path))
            multiply(path, "large", arguments.results)
            multiply(path, "small", max(arguments.results // 10, 10), shift=3)
            rewrite_s = round(rewrite_summaries(path), 2)
        names = pages(arguments.results)
        times, ready = served(path, names, arguments.rounds)
        statements = asyncio.run(statements_of(path, names))
        size_mb = round(path.stat().st_size / 1e6)
        line: dict[str, Any] = {"results": arguments.results, "size_mb": size_mb}
        line |= {"rewrite_s": rewrite_s, "ready_s": ready, "pages": {}}
        for name in names:
            asked, cpu_ms = statements[name]
            sql_ms = replayed(path, asked, arguments.rounds)
            ms = median(times[name])
            line["pages"][name] = {
                "ms": round(ms, 1),
                "max_ms": round(max(times[name]), 1),
                "cpu_ms": round(cpu_ms, 1),
                "sql_ms": round(sql_ms, 2),
                "ratio": round(ms / sql_ms, 1) if sql_ms else None,
            }
    line["slowest_ms"] = max(page["ms"] for page in line["pages"].values())
    print(json.dumps(line))
    return int(line["slowest_ms"] > arguments.limit_ms)


if __name__ == "__main__":
    raise SystemExit(main())
