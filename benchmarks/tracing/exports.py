"""What real instrumentation packages export, counted, against the bill of the provider that served them.

    python benchmarks/tracing/exports.py [--python PATH] [--only TEXT]... [--keep FOLDER] [--json]

Each combination of a library and a mode is one agent run of `tests/integrations/exports/worker.py` in the environment
that holds the packages (`--python`; the default is `.envs/exports`, which `make integrations` makes) against
`export_provider.py`. Its export is imported into a ledger, twice, with the provider's prices, and its bill is compared:
`tokens_true`, `tokens_counted`, `cost_true`, `cost_counted`, `spans`. `two processes` are two runs in one trace, or in
one file of events. Where a package does not export cached tokens, the bill says that its cost is an upper bound;
`bounded` means that the provider's cost is between the bounds that it gives. Exit code 1 when a combination is neither
equal nor bounded; 2 when one could not run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, cast

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
WORKER = ROOT / "tests/integrations/exports/worker.py"
COMMAND = Path(sys.executable).with_name("judgemesh")
TIMEOUT_S = 120
ALL_MODES = ("sync", "async", "stream", "astream")
COMBINATIONS: dict[str, tuple[str, ...]] = {
    "openai+openinference": ALL_MODES,
    "openai+openllmetry": ALL_MODES,
    "openai+opentelemetry": ALL_MODES,
    "anthropic+openinference": ALL_MODES,
    "anthropic+openllmetry": ALL_MODES,
    "openai+two": ("sync", "astream"),
    "anthropic+two": ("sync", "stream"),
    "langchain+openinference": ("sync", "astream"),
    "langchain+two": ("sync",),
    "pydantic-ai": ("async", "astream"),
    "langsmith": ("sync", "stream"),
    "openai+judgemesh": ALL_MODES,
    "anthropic+judgemesh": ALL_MODES,
    "anthropic-manager+judgemesh": ("stream", "astream"),
    "responses+judgemesh": ("sync", "stream"),
    "litellm+judgemesh": ALL_MODES,
    "langchain+judgemesh": ALL_MODES,
    "agents+judgemesh": ("sync", "async", "astream"),
    "mcp+judgemesh": ("async",),
}
TWO_PROCESSES = ("openai+openinference", "anthropic+openllmetry", "openai+judgemesh")
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@dataclass(frozen=True)
class Row:
    """One combination: what the provider billed, and what was counted."""

    library: str
    mode: str
    tokens_true: int
    tokens_counted: int | None
    cost_true: str
    cost_counted: str | None
    calls: int
    spans: int
    problem: str = ""
    cost_least: str | None = None

    @property
    def is_equal(self) -> bool:
        """Whether both sums are those of the provider."""
        return (self.tokens_true, self.cost_true) == (
            self.tokens_counted,
            self.cost_counted,
        )

    @property
    def is_bounded(self) -> bool:
        """Whether the tokens are the provider's, and its cost is between the bounds that the bill gives."""
        if self.cost_counted is None or self.cost_least is None:
            return False
        low, high = Decimal(self.cost_least), Decimal(self.cost_counted)
        return (
            self.tokens_true == self.tokens_counted
            and low <= Decimal(self.cost_true) <= high
        )


@contextmanager
def provider() -> Generator[str]:
    """The address of a provider that serves until the block ends."""
    command = [sys.executable, str(HERE / "export_provider.py")]
    pipes: dict[str, Any] = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "text": True,
    }
    with subprocess.Popen(command, **pipes) as process:
        lines, closing = cast("IO[str]", process.stdout), cast("IO[str]", process.stdin)
        yield lines.readline().strip()
        closing.close()


def bill_of_provider(address: str) -> dict[str, Any]:
    """What was served since the last bill."""
    with urllib.request.urlopen(f"{address}/bill") as reply:  # noqa: S310 (the provider of this run)
        bill: dict[str, Any] = json.loads(reply.read())
    return bill


def work(
    python: Path, name: str, mode: str, address: str, output: Path, **more: str
) -> str:
    """Run a worker; what it says when it fails."""
    command = [
        str(python),
        str(WORKER),
        name,
        mode,
        address,
        str(output),
    ]
    environment = {
        **os.environ,
        "PYTHONSAFEPATH": "1",
        "OTEL_SDK_DISABLED": "false",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LANGSMITH_TRACING": "false",
        "NO_PROXY": "127.0.0.1",
        **more,
    }
    run = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    return "" if run.returncode == 0 else run.stderr.strip().rpartition("\n")[2]


def counted(files: list[Path], prices: Path, folder: Path) -> dict[str, Any]:
    """The bill of the exports after they were imported twice."""
    ledger = f"sqlite:///{folder / 'ledger.db'}"
    for _ in range(2):
        judgemesh(
            "trace",
            "import",
            *map(str, files),
            "--prices",
            str(prices),
            "--ledger",
            ledger,
            "-q",
        )
    bill: dict[str, Any] = json.loads(
        judgemesh("trace", "bill", "--ledger", ledger, "--json")
    )
    return bill


def judgemesh(*arguments: str) -> str:
    """The output of the command."""
    run = subprocess.run(
        [str(COMMAND), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    if run.returncode:
        raise RuntimeError(run.stderr.strip() or run.stdout.strip())
    return run.stdout


def measured(
    python: Path,
    name: str,
    mode: str,
    address: str,
    folder: Path,
    *,
    processes: int = 1,
) -> Row:
    """One combination."""
    folder.mkdir(parents=True)
    prices = folder / "prices.toml"
    prices.write_text(price_file())
    outputs: list[Path] = []
    problem = ""
    for number in range(processes):
        shared = name.endswith("judgemesh")
        output = folder / ("export.jsonl" if shared else f"export{number}.jsonl")
        more = {"TRACEPARENT": TRACEPARENT} if processes > 1 else {}
        problem = problem or work(python, name, mode, address, output, **more)
        if output not in outputs:
            outputs.append(output)
    truth = bill_of_provider(address)
    label = mode if processes == 1 else f"{mode}, {processes} processes"
    row = Row(
        name,
        label,
        truth["tokens"],
        None,
        truth["cost"],
        None,
        truth["calls"],
        0,
        problem,
    )
    if problem:
        return row
    try:
        bill = counted(outputs, prices, folder)
    except RuntimeError as error:
        return replace(row, problem=str(error).partition("\n")[0])
    totals = bill
    cost = (
        Decimal(str(totals["total_cost"]))
        if totals.get("total_cost") is not None
        else None
    )
    return Row(
        name,
        label,
        truth["tokens"],
        totals["total_tokens"],
        truth["cost"],
        None if cost is None else str(cost.normalize()),
        truth["calls"],
        sum(map(spans_of, outputs)),
        cost_least=None if cost is None else least_cost(bill, cost),
    )


def least_cost(bill: dict[str, Any], cost: Decimal) -> str | None:
    """What the true cost is at least; None where the bill says the cost, or only what it is at most."""
    if not bill["cost_is_at_most"] or bill["metrics"]["output_at_most_calls"]:
        return None
    (saving,) = bill["metrics"]["unreported_saving"]
    return str(cost - Decimal(str(saving["amount"])))


def spans_of(output: Path) -> int:
    """Spans, events or runs of an export."""
    text = output.read_text()
    if text.startswith('{"resourceSpans"'):
        return len(json.loads(text)["resourceSpans"])
    return len(text.splitlines())


def price_file() -> str:
    """The provider's prices as a price file."""
    source = "import runpy,sys;print(runpy.run_path(sys.argv[1])['PRICE_FILE'])"
    command = [sys.executable, "-c", source, str(HERE / "export_provider.py")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rows(python: Path, only: list[str], folder: Path) -> Iterator[Row]:
    """Every combination that is asked for."""
    with provider() as address:
        for name, modes in COMBINATIONS.items():
            for mode in modes:
                if not only or any(text in f"{name} {mode}" for text in only):
                    yield measured(
                        python, name, mode, address, folder / f"{name}-{mode}"
                    )
        for name in TWO_PROCESSES:
            if not only or any(text in f"{name} two processes" for text in only):
                yield measured(
                    python, name, "sync", address, folder / f"{name}-two", processes=2
                )


def verdict_of(row: Row) -> str:
    """`equal`, `bounded`, what failed, or `DIFFERENT`."""
    if row.is_equal:
        return "equal"
    return row.problem or ("bounded" if row.is_bounded else "DIFFERENT")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description="Exports of instrumentation packages against a provider's bill."
    )
    parser.add_argument(
        "--python", type=Path, default=ROOT / ".envs/exports/bin/python"
    )
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--keep", type=Path, help="keep the exports in this folder")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    if not options.python.exists():
        sys.stderr.write(
            f"no environment {options.python}: run `make integrations`, or name one with --python\n"
        )
        return 2
    code = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        for row in rows(options.python, options.only, folder):
            verdict = verdict_of(row)
            if row.problem:
                code = 2
            elif verdict == "DIFFERENT":
                code = max(code, 1)
            if options.json:
                print(json.dumps({**asdict(row), "verdict": verdict}), flush=True)
                continue
            print(
                f"{row.library:28} {row.mode:18} tokens_true={row.tokens_true} tokens_counted={row.tokens_counted} "
                f"cost_true={row.cost_true} cost_counted={row.cost_counted} spans={row.spans} {verdict}",
                flush=True,
            )
    return code


if __name__ == "__main__":
    sys.exit(main())
