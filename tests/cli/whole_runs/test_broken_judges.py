"""Judges that answer badly, each in its own way: whose reply it was, whose verdict, who pays, and what the run says."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from judgemesh.mesh.testing.http_server import (
    Request,
    Response,
    json_response,
    serve_connection,
)

if TYPE_CHECKING:
    from ..conftest import Cli

CONTRACT = """
task_id: letter
criteria:
  - {id: names_amount, question: Does it name the amount? TRUTH yes}
  - {id: offers_refund, question: Does it offer a refund? TRUTH no}
  - {id: is_polite, question: Is it polite? TRUTH yes}
"""
TRUTH = {"names_amount": "pass", "offers_refund": "fail", "is_polite": "pass"}


def entry(verdict: str, reason: str = "It says so.") -> dict[str, str]:
    return {"reason": reason, "quote": "", "verdict": verdict}


def reply(model: str, message: str) -> str:
    """What a model writes: the truth that a question carries, in the manner of its name."""
    questions = re.findall(r"^Question (q\d): .*TRUTH (\w+)$", message, re.MULTILINE)
    entries = {code: entry(word) for code, word in questions}
    if model == "broken":
        return '{"verdict": "yes", "reas'
    if not questions:
        (word,) = re.findall(r"^Question: .*TRUTH (\w+)$", message, re.MULTILINE) or [
            "yes"
        ]
        if "Claim: the correct answer" in message:
            word = "no" if word == "yes" else "yes"
        return json.dumps(entry(word, reason=f"So says {model}."))
    if model == "from-zero":
        zero = {f"q{at}": one for at, one in enumerate(entries.values())}
        return json.dumps(zero)
    if model == "wrapped":
        return json.dumps({"answers": entries})
    if model == "line-breaks":
        return json.dumps(entries).replace("It says", "It\nsays")
    return json.dumps(entries)


async def answer(request: Request) -> Response:
    body: Mapping[str, Any] = json.loads(request.body)
    message = {
        "role": "assistant",
        "content": reply(body["model"], body["messages"][-1]["content"]),
    }
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    return json_response({"model": "served", "choices": [choice], "usage": usage})


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A server of models that answer in the manner of their names, all served under one other name."""
    started = threading.Event()
    running: list[tuple[int, Callable[[], object]]] = []

    async def serve() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        connections: set[asyncio.Task[None]] = set()

        async def connected(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            task = asyncio.current_task()
            assert task is not None
            connections.add(task)
            await serve_connection(reader, writer, answer)

        server = await asyncio.start_server(connected, "127.0.0.1")
        port = server.sockets[0].getsockname()[1]
        running.append((port, lambda: loop.call_soon_threadsafe(stop.set)))
        started.set()
        async with server:
            await stop.wait()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    # The command does not wait for a daemon when it ends.
    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert started.wait(10)
    ((port, stop),) = running
    yield f"http://127.0.0.1:{port}/v1"
    stop()
    thread.join(10)


def grade(
    cli: Cli, base_url: str, models: str, *options: str, contract: str = CONTRACT
) -> dict[str, Any]:
    """The summary of a run with these judges; prices are 1 and 4 a million tokens."""
    cli.write("letter.yaml", contract)
    prices = [f"{model}: {{input: 1.0, output: 4.0}}" for model in models.split()]
    cli.write("prices.yaml", *prices)
    result = {"result_id": "r", "task_id": "letter", "output": "Dear Ms Aune: 24.90."}
    cli.write("results.jsonl", result)
    judges: list[str] = []
    for model in models.split():
        judges += ["--judge", f"openai-compatible:{model}"]
    done = cli(
        *("grade", "results.jsonl", "-c", "letter.yaml", "--json"),
        *("--judge-api-base", base_url, "--prices", "prices.yaml"),
        *("-o", "reports.jsonl", *judges, *options),
    )
    assert done.returncode in (0, 1, 3), done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def kinds(cli: Cli) -> dict[str, str]:
    """How each criterion of the only result was decided."""
    report = json.loads((cli.folder / "reports.jsonl").read_text())
    found: dict[str, str] = {}
    for verdict in report["verdicts"]:
        _, _, criterion = verdict["check"].partition(":")
        if criterion:
            found[criterion] = verdict["kind"]
    return found


@pytest.mark.parametrize(
    ("model", "calls"), [("wrapped", 2), ("line-breaks", 2), ("from-zero", 10)]
)
def test_of_several_questions_in_one_call_each_gets_its_own_verdict(
    cli: Cli, base_url: str, model: str, calls: int
) -> None:
    options = ("--batch-criteria", "8", "--batch-audit", "0")
    summary = grade(cli, base_url, model, *options)
    assert kinds(cli) == TRUTH
    paid = calls + 1  # the question before the first result
    assert summary["judge_calls"] == paid
    assert summary["evaluator_cost"]["amount"] == pytest.approx(0.0014 * paid)


def test_every_reply_is_shown_under_the_judge_that_wrote_it(
    cli: Cli, base_url: str
) -> None:
    grade(cli, base_url, "fine broken other")
    shown = cli("report", "r", "--plain").stdout
    for model in ("fine", "other"):
        assert shown.count(f"So says {model}.") >= 6, shown
    assert '{"verdict": "yes", "reas' in shown


def test_a_judge_of_a_panel_that_never_answers_is_named(
    cli: Cli, base_url: str
) -> None:
    summary = grade(cli, base_url, "fine broken other")
    assert kinds(cli) == TRUTH
    (warning,) = [line for line in summary["warnings"] if "broke" in line]
    assert warning.startswith("broken broke on 3 of 3 questions")
    assert not any("fine broke" in line for line in summary["warnings"])


def test_the_judges_that_leave_a_gate_open_are_named(cli: Cli, base_url: str) -> None:
    gates = CONTRACT.replace("yes}", "yes, gate: true}")
    summary = grade(cli, base_url, "fine broken", contract=gates)
    assert (summary["undecided"], summary["error_results"]) == (1, 1)
    told = cli("report", "r", "--plain").stdout
    assert "might have turned a hard gate: broken: " in told
