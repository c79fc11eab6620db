"""What the pages show, on SQLite and PostgreSQL."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html import unescape
from typing import Any

import anyio
import httpx
import pytest
from sqlalchemy import Connection, text

from judgemesh.contracts.report import Gate
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.leases import acquire, this_process
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.viewer.paging import decoded, encoded
from judgemesh.mesh.viewer.queries.lists import GATES, ResultsFilter, results_page
from judgemesh.mesh.viewer.viewer import Viewer

from .conftest import SITE
from .ledgers import (
    CODES,
    HOSTILE,
    RESULTS,
    begin,
    code_of,
    finish,
    gate_of,
    report_of,
    take,
    write,
)

pytestmark = pytest.mark.anyio

_LINK = re.compile(r'href="(/[^"]*)"')
_ROW = re.compile(r'<tr id="row-(.*?)".*?<span class="badge c-(\w+)">', re.DOTALL)


async def _page(client: httpx.AsyncClient, path: str) -> str:
    answer = await client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.text


def _rows(page: str) -> list[tuple[str, str]]:
    """Id and gate of each result of a list."""
    return _ROW.findall(page)


def _expected(where: ResultsFilter) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for gate in GATES:
        for at in range(RESULTS):
            name = f"r{at:03}"
            code = code_of(at).value if gate_of(at) is Gate.FAIL else None
            if (
                gate_of(at) is gate
                and where.gate in (None, gate)
                and where.code in (None, code)
                and where.task in (None, f"t{at % 5}")
                and name.startswith(where.prefix)
            ):
                rows.append((gate.value, name))
    return rows


@pytest.mark.parametrize("size", [1, 7, 50, 500])
async def test_pages_by_key_hold_every_result_once_under_every_filter(
    ledger: Ledger, size: int
) -> None:
    filters = [
        ResultsFilter(gate=gate, code=code, task=task, prefix=prefix)
        for gate in (None, *GATES)
        for code in (None, CODES[0].value, "NO_SUCH_CODE")
        for task in (None, "t3", "nobody")
        for prefix in ("", "r0", "r12", "r%", "R0")
    ]
    if size == 1:
        filters = filters[:1]
    for where in filters:
        found: list[tuple[str, str]] = []
        after = None
        while True:
            page = await ledger.ask(
                partial(results_page, run_id="old", where=where, after=after, size=size)
            )
            found += [(name, name) for _, name in page.rows]
            if page.next is None:
                break
            assert len(page.rows) == size
            after = decoded(page.next, 2)
        assert [name for name, _ in found] == [name for _, name in _expected(where)]


@pytest.mark.parametrize(
    "key", ["", "x", "!!", "W10", encoded(("a",)), encoded(("a", "b", "c"))]
)
async def test_a_key_that_no_list_made_is_the_start(key: str) -> None:
    assert decoded(key, 2) is None


async def test_every_link_of_every_page_leads_somewhere(
    client: httpx.AsyncClient,
) -> None:
    paths = ["/", "/failures", "/costs", "/judges", "/labels", "/compare"]
    paths += ["/run?id=old", "/result?run=old&id=r000", "/compare?a=old&b=new"]
    seen: set[str] = set()
    for path in paths:
        for link in _LINK.findall(await _page(client, path)):
            address = unescape(link).partition("#")[0]
            if address not in seen and len(seen) < 150:
                seen.add(address)
                assert (await client.get(address)).status_code == 200, address
    assert len(seen) > 40


async def test_runs_are_listed_with_their_figures(client: httpx.AsyncClient) -> None:
    page = await _page(client, "/")
    assert page.index("new") < page.index("/run?id=old")
    counts = [sum(gate_of(at) is gate for at in range(RESULTS)) for gate in GATES]
    for count in counts:
        assert f'<td class="number">{count}</td>' in page


async def test_a_run_shows_failures_first_and_goes_on(
    client: httpx.AsyncClient,
) -> None:
    found: list[tuple[str, str]] = []
    path: str | None = "/run?id=old"
    while path is not None:
        page = await _page(client, path)
        found += [(gate, name) for name, gate in _rows(page)]
        following = re.search(r'href="([^"]*)" rel="next"', page)
        path = None if following is None else unescape(following[1])
    assert found == _expected(ResultsFilter())


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("gate=fail", ResultsFilter(gate=Gate.FAIL)),
        (f"code={CODES[1].value}", ResultsFilter(code=CODES[1].value)),
        ("q=r01", ResultsFilter(prefix="r01")),
        ("task=t2&gate=fail", ResultsFilter(task="t2", gate=Gate.FAIL)),
        ("q=%25&gate=pass", ResultsFilter(prefix="%", gate=Gate.PASS)),
        ("q=%00", ResultsFilter(prefix="\ufffd")),
    ],
)
async def test_a_filter_restricts_the_list(
    client: httpx.AsyncClient, query: str, where: ResultsFilter
) -> None:
    page = await _page(client, f"/run?id=old&{query}")
    assert [(gate, name) for name, gate in _rows(page)] == _expected(where)[:50]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/run?id=nobody", 404),
        ("/run", 404),
        ("/run?id=old&gate=splendid", 400),
        ("/result?run=old&id=nobody", 404),
        ("/result?run=nobody&id=r000", 404),
        ("/compare?a=old&b=nobody", 404),
        ("/failures?run=nobody", 404),
        ("/costs?run=nobody", 404),
        ("/judges?run=nobody", 404),
        ("/labels?run=nobody", 404),
        ("/?after=WyJ4IiwieSJd", 400),
    ],
)
async def test_what_is_not_there_is_said_in_one_line(
    client: httpx.AsyncClient, path: str, status: int
) -> None:
    answer = await client.get(path)
    assert answer.status_code == status
    assert "This cannot be shown" in answer.text


async def _change(place: str, statements: Sequence[str]) -> None:
    engine = writing_engine(parse_address(place), 5)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


async def test_a_gate_that_was_flipped_never_shows_as_passed(
    client: httpx.AsyncClient, ledger: Ledger, place: str
) -> None:
    await _change(
        place, ["UPDATE eval_task_result SET gate = 'pass' WHERE eval_id = 'old:r000'"]
    )
    rows = dict(_rows(await _page(client, "/run?id=old&q=r00")))
    assert rows["r000"] == "undecided"
    assert rows["r003"] == "fail"
    page = await _page(client, "/result?run=old&id=r000")
    assert "its verdicts do not support that" in page
    assert 'c-undecided">undecided' in page


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE eval_task_result SET gate = 'splendid' WHERE eval_id = 'old:r001'",
        "UPDATE eval_task_result SET outcome_class = '?' WHERE eval_id = 'old:r001'",
        "UPDATE eval_validator_result SET kind = '?' WHERE eval_id = 'old:r001'",
        "DELETE FROM eval_validator_result WHERE eval_id = 'old:r001'",
        "UPDATE eval_task_result SET failure_reason_codes = '{' WHERE eval_id = 'old:r001'",
    ],
)
async def test_a_damaged_result_is_undecided_and_spoils_no_other(
    client: httpx.AsyncClient, ledger: Ledger, place: str, damage: str
) -> None:
    if "'{'" in damage and place.startswith("postgresql"):
        pytest.skip("PostgreSQL holds no JSON that is none")
    await _change(place, [damage])
    rows = dict(_rows(await _page(client, "/run?id=old&q=r00")))
    assert rows["r001"] == "undecided"
    assert rows["r002"] == "pass"
    page = await _page(client, "/result?run=old&id=r001")
    assert 'c-undecided">undecided' in page
    assert 'c-pass">pass</span> <bdi>' not in page
    assert "traceback" not in page.lower()


async def test_a_result_shows_answer_verdicts_and_labels(
    client: httpx.AsyncClient, viewer: Viewer
) -> None:
    page = await _page(client, "/result?run=old&id=r000")
    for shown in ("Good day.", "nothing names it", "required_fields", "criteria"):
        assert shown in page
    assert "Nobody has labelled this result" in page
    fields = {
        "csrf": viewer.access.form_token,
        "run_id": "old",
        "result_id": "r000",
        "labeler": "bea",
        "outcome_class": "abandoned",
        "note": HOSTILE,
    }
    answer = await client.post("/labels", headers={"origin": SITE}, data=fields)
    assert answer.headers["location"] == "/result?run=old&id=r000"
    page = await _page(client, answer.headers["location"])
    assert "bea" in page
    assert "<script>alert" not in page


async def test_two_runs_are_compared_with_their_flips(
    client: httpx.AsyncClient,
) -> None:
    page = await _whole(client, "/compare?a=old&b=new")
    assert "20 results in both runs" in page
    for title, names in (("Worse: 1", ["r001"]), ("Better: 2", ["r003", "r006"])):
        part = page[page.index(title) :]
        part = part[: part.index("</table>")]
        assert re.findall(r"<bdi>(r\d+)</bdi>", part) == names


def _rate(gates: Sequence[tuple[int, Gate]]) -> float:
    """The mean over tasks of the share of decided results that passed."""
    tasks: dict[int, list[bool]] = {}
    for task, gate in gates:
        if gate is not Gate.UNDECIDED:
            tasks.setdefault(task, []).append(gate is Gate.PASS)
    return sum(sum(passed) / len(passed) for passed in tasks.values()) / len(tasks)


async def test_runs_without_a_common_result_are_compared_by_task(
    client: httpx.AsyncClient, ledger: Ledger
) -> None:
    """Repeats of a task are one unit, as for two versions of an agent that ran the same tasks."""
    await begin(ledger, "other", day=2)
    gates = [(at % 5, Gate.PASS if at % 4 else Gate.FAIL) for at in range(20)]
    reports = [
        report_of(f"other{at}", gate, task_id=f"t{task}")
        for at, (task, gate) in enumerate(gates)
    ]
    await write(ledger, "other", reports)
    await finish(ledger, "other")
    page = await _whole(client, "/compare?a=old&b=other")
    assert "0 results in both runs" in page
    assert "5 tasks in both runs as units" in page
    assert "Gates before and after" not in page
    before = _rate([(at % 5, gate_of(at)) for at in range(RESULTS)])
    change = 100 * (_rate(gates) - before)
    assert f'<p class="figure">{100 * before:.1f}%</p>' in page
    assert f"{change:+.1f} <small>points</small>" in page


async def _whole(client: httpx.AsyncClient, path: str) -> str:
    """A page whose answer may be worked out in the background."""
    while True:
        page = await _page(client, path)
        if 'class="live"' not in page:
            return page


async def test_dashboards_count_what_the_ledger_holds(
    client: httpx.AsyncClient,
) -> None:
    failures = await _page(client, "/failures?run=old")
    failed = sum(gate_of(at) is Gate.FAIL for at in range(RESULTS))
    assert f"{failed} results of {RESULTS} failed" in failures
    assert CODES[0].value in failures
    costs = await _page(client, "/costs?run=old")
    assert f"{RESULTS * 0.25:g} USD" in costs
    assert "model_x" in costs
    judges = await _whole(client, "/judges")
    assert "model_x" in judges
    assert "No judged question has a label yet" in judges


async def test_a_label_shows_in_the_reliability_of_the_judge(
    client: httpx.AsyncClient, viewer: Viewer
) -> None:
    for at, label in enumerate(("yes", "no", "yes", "yes")):
        fields = {
            "csrf": viewer.access.form_token,
            "run_id": "old",
            "result_id": f"r{at:03}",
            "question_id": "polite",
            "labeler": "ann",
            "label": label,
        }
        await client.post("/labels", headers={"origin": SITE}, data=fields)
    viewer.jobs.forget("labels")
    page = await _whole(client, "/judges?run=old")
    assert "Right in 3 of 4 labelled questions" in page


async def test_the_queue_goes_through_every_question_once(
    client: httpx.AsyncClient, viewer: Viewer
) -> None:
    path = "/labels?run=new"
    asked: list[str] = []
    while True:
        page = await _whole(client, path)
        fields = {
            name: unescape(value)
            for name, value in re.findall(
                r'<input type="hidden" name="(\w+)" value="([^"]*)"', page
            )
        }
        if "question_id" not in fields:
            break
        asked.append(fields["result_id"])
        answer = await client.post(
            "/labels",
            headers={"origin": SITE},
            data={**fields, "labeler": "ann", "label": "yes"},
        )
        path = answer.headers["location"]
    assert sorted(asked) == [f"r{at:03}" for at in range(20)]
    assert len(await viewer.ledger.labels()) == 20
    assert "Every queued question of this run has a label" in page


async def test_a_run_in_progress_is_followed_until_it_ends(
    client: httpx.AsyncClient, ledger: Ledger
) -> None:
    await begin(ledger, "live", day=2)
    await take(ledger, "live")
    assert ">in progress<" in await _page(client, "/")
    page = await _page(client, "/run?id=live")
    assert page.count('hx-trigger="every') == 2
    await write(ledger, "live", [report_of("first", Gate.FAIL)])
    assert _rows(await _page(client, "/run?id=live&part=results")) == [
        ("first", "fail")
    ]
    figures = await _page(client, "/run?id=live&part=figures")
    assert "<html" not in figures
    assert "1 result so far" in figures
    await finish(ledger, "live")
    assert "hx-trigger" not in await _page(client, "/run?id=live")
    assert ">in progress<" not in await _page(client, "/")


async def test_a_run_that_nobody_is_known_to_grade_is_not_in_progress(
    client: httpx.AsyncClient, ledger: Ledger
) -> None:
    await begin(ledger, "left", day=2)
    assert ">in progress<" not in await _page(client, "/")
    page = await _page(client, "/run?id=left")
    assert "no process is known to grade it: last active 2026-" in page
    assert "every result is decided" not in page
    assert page.count('hx-trigger="every') == 2


async def test_a_run_whose_process_was_killed_is_interrupted(
    client: httpx.AsyncClient, ledger: Ledger
) -> None:
    await begin(ledger, "killed", day=2)
    async with await anyio.open_process([sys.executable, "-c", ""]) as process:
        await process.wait()
    dead = replace(this_process(), pid=process.pid)
    now = datetime.now(UTC)
    await ledger.transact(partial(acquire, run_id="killed", holder=dead, now=now))
    assert f"last active {now:%Y-%m-%d %H:%M}" in await _page(client, "/")
    page = await _page(client, "/run?id=killed")
    assert f"no process has graded it since {now:%Y-%m-%d %H:%M} UTC" in page
    assert "hx-trigger" not in page


async def test_hostile_text_stays_text(
    client: httpx.AsyncClient, ledger: Ledger
) -> None:
    run_id = "run\u202e<b>&'\""
    await begin(ledger, run_id, day=3)
    hostile = report_of(HOSTILE, Gate.FAIL, text=HOSTILE, task_id=HOSTILE)
    await write(ledger, run_id, [hostile], answer=HOSTILE)
    await finish(ledger, run_id)
    parameters: dict[str, Any] = {"id": run_id, "run": run_id, "a": run_id, "b": "old"}
    for path in ("/", "/run", "/failures", "/costs", "/judges", "/labels", "/compare"):
        answer = await client.get(path, params=parameters)
        assert answer.status_code == 200
        _check_inert(answer.text)
    answer = await client.get("/result", params={"run": run_id, "id": HOSTILE})
    assert answer.status_code == 200
    _check_inert(answer.text)


def _check_inert(page: str) -> None:
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<b>&" not in page
    # The value of a field is sent back as it is, and is not shown.
    assert "\u202e" not in re.sub(r'value="[^"]*"', "", page)


def test_the_statements_of_the_lists_read_a_range_of_an_index(tmp_path: Any) -> None:
    """SQLite says how it will read: no list scans a table or sorts."""
    from sqlalchemy import event

    from judgemesh.mesh.ledger.schema.migrations import migrate

    engine = writing_engine(parse_address(str(tmp_path / "ledger.db")), 5)
    asked: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, parameters))

    with engine.begin() as connection:
        migrate(connection)
        event.listen(connection, "before_cursor_execute", note)
        for where in (
            ResultsFilter(),
            ResultsFilter(prefix="r"),
            ResultsFilter(code=CODES[0].value, prefix="r"),
            ResultsFilter(task="t"),
        ):
            results_page(connection, "run", where, ("pass", "r1"), 50)
        event.remove(connection, "before_cursor_execute", note)
        assert len(asked) == 4
        for statement, parameters in asked:
            plan = _plan(connection, statement, parameters)
            assert "SCAN" not in plan, plan
            assert "TEMP B-TREE" not in plan, plan
            assert "_summary_" in plan, plan
    engine.dispose()


def _plan(connection: Connection, statement: str, parameters: Any) -> str:
    rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
    return "; ".join(str(row[-1]) for row in rows)
