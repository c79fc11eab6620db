"""The fault campaign: every seam fails, hangs, returns rubbish or is killed, and what the command promises still holds.

    python benchmarks/reliability/faults.py [--short] [--only TEXT] [--part K/N] [--no-server] [--verbose]

Each case grades results of known gates by the code of the command `judgemesh`, in a process of its own, with a fault:
injected by `judgemesh.mesh.testing.faults` at the n-th moment of a seam (SQL statement, commit, await point, file,
socket, thread, clock), on the wire between the command and a judge or a source (both real HTTP servers on the
loopback), by limits of the operating system and of SQLite, in the files of sources, in the stream of results, in the
outputs, or by a plug-in. Then the same command runs again without the fault. After both runs the promises are checked:

* no fault becomes a pass or a fail: each gate is that of the run without a fault, or undecided,
* committed results stay,
* every request that the judge's server counted is an attempt in the ledger,
* the ledger's cost is the bill of the provider,
* the second run completes, and its gates are those of a run without a fault,
* nothing is left open: descriptors, threads, child processes,
* the exit code is one of the documented ones and does not claim more than was graded; no traceback is printed,
* both runs end in time.

Progress goes to stderr, a line for each violation and one JSON line to stdout: `cases`, `violations`, and by promise
the cases that it was checked in and the violations. Exit code 1 with violations.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reliability.campaign.case import Case
from reliability.campaign.checks import PROMISES, Observed, violations
from reliability.campaign.facts import Facts, facts_of
from reliability.campaign.file_cases import clean, file_cases
from reliability.campaign.plugin_cases import plugin_cases, write_plugin_folder
from reliability.campaign.process_cases import process_cases
from reliability.campaign.processes import Ended, Run, load, run
from reliability.campaign.scenario import MODEL, TASKS, write_scenario
from reliability.campaign.server import Servers
from reliability.campaign.wire_cases import wire_cases

from judgemesh.mesh.testing.faults import SEAMS, Fault

_ROOT: Final = Path(__file__).resolve().parents[2]
_SHORT: Final = 12
"""Cases of the short form, at even distances in the table."""


class Campaign:
    """Runs cases in a folder, against its servers. databases: makes addresses of empty PostgreSQL databases."""

    def __init__(self, folder: Path, servers: Servers, databases: Any = None) -> None:
        self._folder = folder
        self._servers = servers
        self._databases = databases

    def warm_up(self) -> None:
        """Load what a run needs, and see that the gates without a fault are the known ones.

        Raises:
            RuntimeError: they are not.
        """
        plain = Case(seam="none", kind="none", tasks=TASKS)
        load(self._plain(plain)[0].modules)
        ended, facts = self._plain(plain)
        if facts.gates != expected(TASKS):
            raise RuntimeError(f"without a fault: {facts.gates} {ended.stderr}")

    def moments(self, *, on_server: bool = False) -> dict[str, int]:
        """How many moments each seam has in a run without a fault."""
        found: dict[str, int] = {}
        for seam, each in SEAMS.items():
            fault = Fault(seam=seam, kind=each.kinds[0], at=0)
            case = Case(seam=seam, kind="none", fault=fault, on_server=on_server)
            found[seam] = self._plain(case)[0].moments
        return found

    def observe(self, case: Case) -> Observed:
        """Run a case: with the fault, and again without it."""
        url = self._start(case)
        case.prepare(self._folder)
        before = self._servers.order(judge={}, pages={})
        self._servers.order(**case.wire)
        first = self._run(case, url, with_fault=True)
        counts = self._servers.order(judge={}, pages={})
        after_first = facts_of(url)
        self._write(case, plugged=False)
        second = self._run(case, url, with_fault=False)
        after = self._servers.order()
        return Observed(
            first=first,
            second=second,
            after_first=after_first,
            after_second=facts_of(url),
            expected=expected(case.tasks),
            requests=after["requests"] - before["requests"],
            bill=Decimal(after["cost"]) - Decimal(before["cost"]),
            struck=first.struck + (counts["struck"] if case.wire else 0),
        )

    def _plain(self, case: Case) -> tuple[Ended, Facts]:
        url = self._start(case)
        self._servers.order(judge={}, pages={})
        ended = self._run(case, url, with_fault=True)
        return ended, facts_of(url)

    def _start(self, case: Case) -> str:
        """An empty ledger, and the files of the case; the ledger's address."""
        for path in self._folder.glob("ledger.db*"):
            path.unlink()
        shutil.rmtree(self._folder / ".judgemesh", ignore_errors=True)
        self._write(case, plugged=bool(case.contracts))
        if case.on_server:
            address: str = self._databases.database()
            return address.replace("postgresql://", "postgresql+psycopg://")
        return f"sqlite:///{self._folder / 'ledger.db'}"

    def _write(self, case: Case, *, plugged: bool) -> None:
        clean(self._folder)
        write_scenario(self._folder, self._servers.pages_url, case.tasks)
        if plugged:
            with (self._folder / "contracts.yaml").open("a") as stream:
                stream.write(case.contracts)
            result = {"result_id": "plugged", "task_id": "plugged", "output": "x"}
            with (self._folder / "results.jsonl").open("a") as stream:
                stream.write(json.dumps(result) + "\n")

    def _run(self, case: Case, url: str, *, with_fault: bool) -> Ended:
        options = (
            "-c",
            "contracts.yaml",
            "--config",
            "mesh.toml",
            "--judge",
            f"openai-compatible:{MODEL}",
            "--judge-api-base",
            self._servers.judge_url,
            "--ledger",
            url.replace("+psycopg", ""),
            "-j",
            "4",
            "--judge-concurrency",
            "2",
            "--retry-errors",
            *case.arguments,
        )
        if not with_fault:
            source = "-" if case.stdin else "results.jsonl"
            stdin = case.stdin or "/dev/null"
            return run(
                Run(
                    folder=self._folder,
                    arguments=("grade", source, *options),
                    stdin=stdin,
                )
            )
        source = "-" if case.stdin else "results.jsonl"
        return run(
            Run(
                folder=self._folder,
                arguments=("grade", source, *options),
                fault=case.fault,
                limit=case.limit,
                stdin=case.stdin or "/dev/null",
                stdout=case.stdout,
            )
        )


def expected(tasks: Sequence[str]) -> dict[str, str]:
    """The gates of the results of these tasks."""
    return {
        f"{task}-{name}": gate
        for task in tasks
        for name, gate in (("good", "pass"), ("bad", "fail"))
    }


@contextmanager
def campaign(*, with_server: bool) -> Generator[Campaign]:
    """Servers, a folder, plug-ins on the path, and a PostgreSQL server where one is installed."""
    # A forked process runs the finalizers that are registered here: none of them may remove the folder.
    folder = Path(tempfile.mkdtemp(prefix="judgemesh-faults-"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        plugins = folder / "plugins"
        plugins.mkdir()
        write_plugin_folder(plugins)
        sys.path.append(str(plugins))
        work = folder / "work"
        work.mkdir()
        servers = stack.enter_context(Servers())
        databases = None
        if with_server:
            databases = stack.enter_context(_postgresql().server())
        yield Campaign(work, servers, databases)


def _postgresql() -> Any:
    """The module of the tests that starts a PostgreSQL server."""
    path = _ROOT / "tests/postgresql.py"
    spec = importlib.util.spec_from_file_location("postgresql_of_tests", path)
    assert spec is not None  # noqa: S101 (the file is part of the repository)
    assert spec.loader is not None  # noqa: S101 (as above)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _selected(table: Sequence[Case], options: argparse.Namespace) -> list[Case]:
    found = [case for case in table if options.only in case.name]
    if options.short:
        found = found[:: max(len(found) // _SHORT, 1)]
    part, _, parts = options.part.partition("/")
    return found[int(part) - 1 :: int(parts)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign; 1 when there are violations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a dozen of the cases")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--part", default="1/1", help="the K-th of N parts")
    parser.add_argument("--no-server", action="store_true", help="no PostgreSQL")
    parser.add_argument("--verbose", action="store_true", help="print every case")
    options = parser.parse_args(arguments)
    with_server = not options.no_server and _postgresql().missing() is None
    started = time.monotonic()
    with campaign(with_server=with_server) as work:
        work.warm_up()
        moments = work.moments()
        server_moments = work.moments(on_server=True) if with_server else {}
        table = [
            *process_cases(moments, server_moments),
            *wire_cases(),
            *file_cases(),
            *plugin_cases(),
        ]
        names = Counter(case.name for case in table)
        assert max(names.values()) == 1, names.most_common(3)  # noqa: S101 (a case counted twice would be no case)
        selected = _selected(table, options)
        line = _measure(work, selected, verbose=options.verbose)
    line["seconds"] = round(time.monotonic() - started)
    print(json.dumps(line))
    return int(line["violations"] > 0)


def _measure(
    work: Campaign, selected: Sequence[Case], *, verbose: bool
) -> dict[str, Any]:
    broken: Counter[str] = Counter()
    seams = Counter(case.seam for case in selected)
    codes: Counter[int] = Counter()
    failed = in_flight = undecided = 0
    for number, case in enumerate(selected, 1):
        seen = work.observe(case)
        found = list(violations(case, seen))
        failed += bool(found)
        broken.update({promise for promise, _ in found})
        codes[seen.first.code] += 1
        in_flight += max(seen.requests - seen.after_second.attempts, 0)
        undecided += list(seen.after_first.gates.values()).count("undecided")
        for promise, text in found:
            print(f"{case.name}: {promise}: {text}", flush=True)
        if verbose:
            said = seen.first.stderr.strip()[-150:]
            print(
                f"{case.name}: exit {seen.first.code}, {seen.first.seconds:.1f} s: {said!r}"
            )
        sys.stderr.write(f"\r{number} of {len(selected)}, {failed} broken ")
    return {
        "cases": len(selected),
        "violations": failed,
        "promises": {
            name: {"cases": len(selected), "violations": broken[name]}
            for name in PROMISES
        },
        "seams": dict(seams),
        "exit_codes": {str(code): count for code, count in sorted(codes.items())},
        "gates_undecided": undecided,
        "requests_in_flight": in_flight,
        "postgresql": "commit" if any(case.on_server for case in selected) else None,
    }


if __name__ == "__main__":
    sys.exit(main())
