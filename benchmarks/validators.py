"""CPU time of a check in every deterministic validator.

    python benchmarks/validators.py [--results 1000] [--rounds 5] [--size-bytes 4096]

One contract asks every validator that needs neither a judge nor a source outside the result; generated results of 4 KB
go through each of them, driven by hand, so that the engine, the reports and the ledger count for nothing. A check is
one thing the contract asks: a field, a rule, a limit, an expected change, an execution, a tool call.

Prints one JSON line of CPU microseconds, medians over the rounds: `median_us` (of the checks: each costs what its
validator takes for a result, divided by its number of checks), `mean_us` (of all checks together), `by_validator`
(`checks` of one result and `us` a check), and `prepare_us`: working out the difference of state, once a result.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case
from judgemesh.contracts.verdicts import Pass
from judgemesh.mesh.grading.case.case import prepare
from judgemesh.mesh.grading.plan import PlannedValidator, compile_plan
from judgemesh.mesh.grading.plugins import ValidatorRegistry
from judgemesh.mesh.testing import drive

sys.path.insert(0, str(Path(__file__).resolve().parent))

import workload

Json = dict[str, Any]
_US_PER_S = 1e6
_CALLS = ("find_batch", "read_batch", "check_batch", "load_batch", "close_batch")

_RULES: list[Json] = [
    {"id": "r01", "template": "existence", "activity": "load_batch"},
    {"id": "r02", "template": "absence", "activity": "drop_batch"},
    {"id": "r03", "template": "exactly", "activity": "load_batch"},
    {"id": "r04", "template": "init", "activity": "find_batch"},
    {"id": "r05", "template": "end", "activity": "close_batch"},
    {
        "id": "r06",
        "template": "forbidden",
        "activity": {"tool": "*", "where": {"force": True}},
    },
    {
        "id": "r07",
        "template": "responded_existence",
        "first": "read_batch",
        "then": "load_batch",
    },
    {
        "id": "r08",
        "template": "response",
        "first": "load_batch",
        "then": "close_batch",
        "same": ["batch"],
    },
    {
        "id": "r09",
        "template": "alternate_response",
        "first": "load_batch",
        "then": "close_batch",
    },
    {
        "id": "r10",
        "template": "chain_response",
        "first": "check_batch",
        "then": "load_batch",
    },
    {
        "id": "r11",
        "template": "precedence",
        "first": "check_batch",
        "then": "load_batch",
        "same": ["batch"],
    },
    {
        "id": "r12",
        "template": "alternate_precedence",
        "first": "read_batch",
        "then": "load_batch",
    },
    {
        "id": "r13",
        "template": "chain_precedence",
        "first": "check_batch",
        "then": "load_batch",
    },
    {
        "id": "r14",
        "template": "succession",
        "first": "find_batch",
        "then": "close_batch",
        "within": {"steps": 8},
    },
    {
        "id": "r15",
        "template": "not_coexistence",
        "first": "load_batch",
        "then": "drop_batch",
    },
    {
        "id": "r16",
        "template": "not_succession",
        "first": "close_batch",
        "then": "load_batch",
    },
    {"id": "r17", "template": "choice", "first": "check_batch", "then": "skip_batch"},
]
CONTRACT: Json = {
    **workload.CONTRACT,
    "success_criteria": {
        **workload.CONTRACT["success_criteria"],
        "must_not_include": ["lorem ipsum", "as an AI"],
        "execution_result": {"required": True},
    },
    "output_schema": {
        "type": "object",
        "required": ["rows"],
        "properties": {"rows": {"type": "integer"}},
    },
    "sop": {
        "required_tools": ["load_batch"],
        "forbidden_tools": ["drop_*"],
        "rules": _RULES,
        "prerequisites": [
            {
                "tool": "load_batch",
                "requires": {
                    "all": [
                        "find_batch",
                        {"call": "check_batch", "bind": {"batch": "batch"}},
                    ]
                },
            }
        ],
        "replay": {},
        "permissions": {
            "tools": [
                "find_batch",
                "read_batch",
                "check_batch",
                "load_batch",
                "close_batch",
            ],
            "arguments": [{"tool": "*", "arguments": {"batch": {"ge": 0}}}],
            "paths": ["exports/**"],
            "denied_paths": ["**/*.key"],
        },
        "limits": {
            "calls": 20,
            "steps": 40,
            "repeats": 2,
            "total_repeats": 3,
            "cycle": 2,
        },
    },
    "execution": {
        "expected": [
            {"kind": "load", "target": "warehouse", "parameters": {"rows": {"ge": 1}}}
        ],
        "high_risk": ["load"],
    },
    "state": {
        "expected": [
            {"path": "/tables/batches/7/state", "before": "new", "after": "loaded"},
            {"path": "/tables/batches/7/rows", "match": {"gt": 0}},
        ],
        "allowed": ["/tables/log/**"],
        "ignored": ["/**/updated_at"],
        "forbidden": ["/tables/users/**"],
        "documents": [
            {
                "path": "/files/report.md",
                "headings": ["Load"],
                "contains": ["rows"],
                "tables": 1,
            }
        ],
    },
    "tools": {"expected": [{"tool": name, "match": "subset"} for name in _CALLS]},
    "answer": {"pattern": "[a-z]"},
    "budget": {"ceiling": 2, "gate": True, "max_latency_ms": 60_000},
}
CHECKS = {
    "completion": 1,
    "required_fields": workload.CHECKS,
    "forbidden_content": 2,
    "output_format": 1,
    "sop": len(_RULES) + 3,
    "replay": len(_CALLS),
    "permissions": 3 * len(_CALLS),
    "limits": 5,
    "execution": 2,
    "state": 3,
    "documents": 4,
    "tool_selection": len(_CALLS),
    "expected_answer": 1,
    "spending": 2,
}
"""How many things the contract asks each validator about one result."""


def result_of(number: int, size_bytes: int) -> Json:
    """A result of that size which everything passes."""
    calls = [
        {
            "tool_name": name,
            "arguments": {"batch": number, "path": f"exports/{number}.csv"},
            "result": "ok",
            "replay": "ok",
        }
        for name in _CALLS
    ]
    log = {"1": {"text": "start"}}
    before = {
        "batches": {"7": {"state": "new", "rows": 0, "updated_at": 1}},
        "log": log,
    }
    after = {
        "batches": {"7": {"state": "loaded", "rows": 1 + number, "updated_at": 2}},
        "log": {**log, "2": {"text": "end"}},
    }
    report = "# Load\n\nAll rows are there.\n"
    described = {
        "format": "markdown",
        "opens": True,
        "chars": len(report),
        "headings": ["Load"],
        "tables": 1,
        "columns": [],
    }
    entry = {"size": len(report), "mode": "0644", "text": report, "document": described}
    load = {"kind": "load", "target": "warehouse", "parameters": {"rows": 1 + number}}
    more: Json = {
        "cost": 0.5,
        "latency_ms": 1_200,
        "records": [{**load, "confirmed_by": "operator"}],
        "actions": [load],
        "state": {
            "before": {"tables": before, "files": {}},
            "after": {"tables": after, "files": {"report.md": entry}},
        },
        "trace": {"steps": [{"role": "user", "content": "Load the batch."}, *calls]},
    }
    used = len(json.dumps(more))
    result = workload.agent_result(number, max(size_bytes - used, 400))
    result["output"]["outputs"] = {"rows": 1 + number}
    return {**result, **more}


def cases_of(
    contract: EvalContract, count: int, size_bytes: int
) -> tuple[list[Case], float]:
    """The prepared cases, and the CPU seconds that preparing one took."""
    results = [
        AgentResult.model_validate(result_of(number, size_bytes))
        for number in range(count)
    ]
    started = time.process_time()
    cases = [
        prepare(result, contract, base_dir=Path(), judge=False) for result in results
    ]
    return cases, (time.process_time() - started) / count


def seconds(planned: PlannedValidator, cases: list[Case]) -> float:
    """CPU seconds of a validator for one case, on average; every verdict must be a pass."""
    started = time.process_time()
    found = [drive(planned.validator, case).verdicts for case in cases]
    spent = time.process_time() - started
    odd = next(
        (one for verdicts in found for one in verdicts if not isinstance(one, Pass)),
        None,
    )
    if odd is not None:
        message = f"{planned.validator.name}: expected passes only, got {odd}"
        raise SystemExit(message)
    return spent / len(cases)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="CPU microseconds of a check in each deterministic validator."
    )
    parser.add_argument("--results", type=int, default=1_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument(
        "--size-bytes",
        type=int,
        default=4_096,
        metavar="BYTES",
        help="length of one result's line",
    )
    arguments = parser.parse_args()
    contract = EvalContract.model_validate(CONTRACT)
    plan = [
        one
        for one in compile_plan(contract, ValidatorRegistry.discover()).validators
        if one.validator.name in CHECKS
    ]
    if missing := CHECKS.keys() - {one.validator.name for one in plan}:
        message = f"the contract does not ask for: {', '.join(sorted(missing))}"
        raise SystemExit(message)
    warm, _ = cases_of(contract, 20, arguments.size_bytes)
    for planned in plan:
        seconds(planned, warm)
    spent: dict[str, list[float]] = {one.validator.name: [] for one in plan}
    preparing: list[float] = []
    for _ in range(arguments.rounds):
        cases, prepared_s = cases_of(contract, arguments.results, arguments.size_bytes)
        preparing.append(prepared_s)
        for planned in plan:
            spent[planned.validator.name].append(seconds(planned, cases))
    typical = {name: median(times) * _US_PER_S for name, times in spent.items()}
    each = sorted((us / CHECKS[name], name) for name, us in typical.items())
    checks = sum(CHECKS[name] for name in typical)
    line = {
        "results": arguments.results,
        "checks": checks * arguments.results,
        "median_us": round(
            median(us for us, name in each for _ in range(CHECKS[name])), 2
        ),
        "mean_us": round(sum(typical.values()) / checks, 2),
        "prepare_us": round(median(preparing) * _US_PER_S, 2),
        "by_validator": {
            name: {"checks": CHECKS[name], "us": round(us, 2)} for us, name in each
        },
    }
    print(json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
