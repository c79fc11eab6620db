"""What a judge call costs, against the same requests made with bare aiohttp in the same run.

    python benchmarks/speed/judge_calls.py [--at-once 64 256] [--litellm] [--peer autoevals --peer-python PATH]

Ways, interleaved, one vote a criterion, results of 4 KB, the provider in a process of its own, which answers repeated
requests with little CPU time of its own (`judging/replay.py`):

* `bare`: aiohttp, the requests that the mesh sends, the verdict read from each answer;
* `http`: the whole mesh with a SQLite ledger, through the lean gateway;
* `litellm_bare`, `litellm` (with `--litellm`): the same with bare `litellm.acompletion`, and the mesh through litellm;
* a peer (with `--peer`): the script `peers/NAME_calls.py`, run by the interpreter that has the peer installed, on the
  event loop of asyncio.

Prints one JSON line. For each number of calls at once: medians over the rounds of CPU milliseconds a call (all
threads), of wall time over the ideal `calls * latency / at once`, and of the ratios of CPU time within a round.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, contract, replay, requests, result

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh import Mesh

Json = dict[str, Any]
NewLoop = Callable[[], asyncio.AbstractEventLoop]

_MS = 1000.0
_WAYS = ("bare", "http", "litellm_bare", "litellm")
_LOOPS = ("asyncio", "uvloop")
_PEERS = Path(__file__).parent / "peers"


@dataclass(frozen=True)
class Work:
    """Results, yes/no criteria of each, and calls at once."""

    results: int
    criteria: int
    at_once: int
    base_url: str
    requests: tuple[Json, ...] = ()
    """The bodies of the calls, as the mesh sends them."""

    @property
    def calls(self) -> int:
        """One for each criterion of each result."""
        return self.results * self.criteria

    def prompts(self) -> list[str]:
        """The text of each call, for peers that write their own requests around it."""
        asked = [one["question"] for one in contract(self.criteria)["criteria"]]
        answers = [
            result(number)["output"]["final_answer"] for number in range(self.results)
        ]
        return [
            f"{answer}\nQuestion: {question}"
            for answer in answers
            for question in asked
        ]


@dataclass(frozen=True)
class Spent:
    """CPU and wall seconds, and the version of the peer that took them."""

    cpu_s: float
    wall_s: float
    version: str = ""


async def bare(work: Work) -> int:
    """The requests by hand; how many answers had a verdict."""
    import aiohttp

    url = f"{work.base_url}/chat/completions"
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def send(request: Json) -> str:
            body = json.dumps(request).encode()
            async with session.post(url, data=body) as response:
                data = json.loads(await response.read())
            return str(data["choices"][0]["message"]["content"])

        return await _verdicts(work.requests, send, work.at_once)


async def litellm_bare(work: Work) -> int:
    """The requests with litellm alone; how many answers had a verdict."""
    # Else litellm asks for its table of prices on the internet when it is imported.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    litellm: Any = import_module("litellm")
    litellm.suppress_debug_info = True

    async def send(request: Json) -> str:
        response = await litellm.acompletion(
            **{**request, "model": f"openai/{MODEL}"},
            api_base=work.base_url,
            api_key="none",
            num_retries=0,
        )
        return str(response.choices[0].message.content)

    return await _verdicts(work.requests, send, work.at_once)


async def _verdicts(
    requests: Sequence[Json], send: Callable[[Json], Awaitable[str]], at_once: int
) -> int:
    """Send all requests, so many at a time; how many answers have a verdict."""
    waiting = iter(requests)
    found = 0

    async def worker() -> None:
        nonlocal found
        for request in waiting:
            answer = json.loads(await send(request))
            found += answer["verdict"] in ("yes", "no")

    await asyncio.gather(*(worker() for _ in range(at_once)))
    return found


async def mesh(spec: str, work: Work) -> int:
    """The same through the public API, with a ledger; how many criteria were judged."""
    found = 0
    with tempfile.TemporaryDirectory(prefix="judgemesh_calls_") as scratch:
        async with Mesh.from_config(
            contracts=[EvalContract.model_validate(contract(work.criteria))],
            judge=spec,
            judge_api_base=work.base_url,
            ledger=Path(scratch) / "ledger.db",
            judge_concurrency=work.at_once,
            max_concurrency=work.at_once,
            votes="single",
        ) as grader:
            async for report in grader.grade_many(_results(work.results)):
                found += sum(
                    row.validator_name == "criteria"
                    and row.verdict.kind in ("pass", "fail", "abstain")
                    for row in report.verdicts
                )
    return found


async def _results(count: int) -> AsyncIterator[dict[str, object]]:
    for number in range(count):
        yield result(number)


def timed(
    way: Callable[[Work], Awaitable[int]], new_loop: NewLoop, work: Work
) -> Spent:
    """What a way takes in this process. It must judge everything."""

    async def run() -> int:
        return await way(work)

    cpu, wall = time.process_time(), time.perf_counter()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        found = runner.run(run())
    spent = Spent(time.process_time() - cpu, time.perf_counter() - wall)
    if found != work.calls:
        message = f"expected {work.calls} verdicts, got {found}: the ways do not do the same work"
        raise SystemExit(message)
    return spent


def ways_of(*, with_litellm: bool) -> dict[str, Callable[[Work], Awaitable[int]]]:
    """The ways that run in this process."""
    ways: dict[str, Callable[[Work], Awaitable[int]]] = {
        "bare": bare,
        "http": partial(mesh, f"openai-compatible:{MODEL}"),
    }
    if with_litellm:
        ways["litellm_bare"] = litellm_bare
        ways["litellm"] = partial(mesh, f"openai/{MODEL}")
    return ways


def peer(script: Path, python: str, work: Work) -> Spent:
    """What a peer takes in a process of its own, its start not counted."""
    command = [python, str(script), work.base_url, MODEL, str(work.at_once)]
    done = subprocess.run(
        command,
        input=json.dumps(work.prompts()),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{script.name}: {done.stderr.strip() or done.stdout}")
    line = json.loads(done.stdout.splitlines()[-1])
    if line["verdicts"] != work.calls:
        raise SystemExit(f"{script.name}: {line['verdicts']} of {work.calls} verdicts")
    return Spent(line["cpu_s"], line["wall_s"], line["version"])


def figures(
    rounds: Sequence[Mapping[str, Spent]], work: Work, latency_ms: float
) -> dict[str, float]:
    """Medians over the rounds."""
    ideal_s = work.calls * latency_ms / _MS / work.at_once
    found: dict[str, float] = {}
    for name in rounds[0]:
        cpu_s = median(one[name].cpu_s for one in rounds)
        found[f"{name}_cpu_ms"] = round(cpu_s / work.calls * _MS, 3)
        wall_s = median(one[name].wall_s for one in rounds)
        found[f"{name}_wall_x_ideal"] = round(wall_s / ideal_s, 2)
        base = "litellm_bare" if name == "litellm" else "bare"
        if name not in ("bare", "litellm_bare"):
            ratio = median(one[name].cpu_s / one[base].cpu_s for one in rounds)
            found[f"{name}_x_{base}"] = round(ratio, 2)
        if name not in _WAYS:
            ratio = median(one["http"].cpu_s / one[name].cpu_s for one in rounds)
            found[f"http_x_{name}"] = round(ratio, 2)
    return found


def arguments_of() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="CPU and wall time of a judge call, as ratios."
    )
    parser.add_argument("--results", type=int, default=200, metavar="N")
    parser.add_argument("--criteria", type=int, default=5, metavar="N")
    parser.add_argument("--latency-ms", type=float, default=50.0, metavar="MS")
    parser.add_argument("--at-once", type=int, default=[64], nargs="+", metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument(
        "--loop", choices=_LOOPS, default="asyncio", help="the event loop of all ways"
    )
    parser.add_argument(
        "--litellm",
        action="store_true",
        help="through litellm too, which takes seconds to import",
    )
    peers = sorted(
        path.stem.removesuffix("_calls") for path in _PEERS.glob("*_calls.py")
    )
    parser.add_argument("--peer", choices=peers, help="another library, same work")
    parser.add_argument(
        "--peer-python",
        default=sys.executable,
        metavar="PATH",
        help="the interpreter of an environment that has the peer",
    )
    return parser.parse_args()


def main() -> int:
    """Run the benchmark."""
    arguments = arguments_of()
    line: dict[str, object] = {"rounds": arguments.rounds, "loop": arguments.loop}
    new_loop: NewLoop = import_module(arguments.loop).new_event_loop
    with replay(arguments.latency_ms) as base_url:
        ways: dict[str, Callable[[Work], Spent]] = {
            name: partial(timed, way, new_loop)
            for name, way in ways_of(with_litellm=arguments.litellm).items()
        }
        if arguments.peer:
            script = _PEERS / f"{arguments.peer}_calls.py"
            ways[arguments.peer] = partial(peer, script, arguments.peer_python)
        for at_once in arguments.at_once:
            work = Work(arguments.results, arguments.criteria, at_once, base_url)
            ways["http"](work)  # before all others, which repeat its requests
            work = replace(work, requests=requests(base_url, work.calls))
            for way in ways.values():
                way(work)  # imports, and the first connections
            rounds = [
                {name: way(work) for name, way in ways.items()}
                for _ in range(arguments.rounds)
            ]
            line["calls"] = work.calls
            if arguments.peer:
                line["peer_version"] = rounds[0][arguments.peer].version
            line[f"at_once_{at_once}"] = figures(rounds, work, arguments.latency_ms)
    print(json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
