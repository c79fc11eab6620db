"""How often our checks agree with the official grades of recorded SOPBench runs.

    python benchmarks/accuracy/sopbench_runs.py --data FOLDER

reads `runs.jsonl`, `tasks.jsonl` and `domain_graphs.json`, turns them into agent results and contracts, grades them
with `judgemesh grade`, and reads the reports. Prints one JSON line: `runs`, and the share of them in which

* `constraint_agree`: the validator `replay` says what `constraint_not_violated` says. Each call's result in the
  rule-enforcing simulator stands beside its result in the run.
* `database_agree`: the validator `state` says what `database_match` says. Expected are the changes that the same calls
  make in the rule-enforcing simulator.
* `order_agree`: the validator `sop` says what `dirgraph_satisfied` says. Prerequisites come from the task's graph of
  actions, from the domain's graphs for other tools, and from the chains of the domain's constraints: where a
  constraint was expanded to a chain that ends in a tool, a successful call of that tool stands for the tools before it.

A check that abstains agrees with nothing.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]

GRADED = (0, 1)
"""Exit codes of a complete grading: every gate passed, or some did not."""
CHECKS = {
    "constraint_agree": ("replay", "constraint_not_violated"),
    "database_agree": ("state", "database_match"),
    "order_agree": ("sop", "dirgraph_satisfied"),
}


class Graph:
    """Which calls stand before a call: nodes are `[tool, {argument: variable}]`, `and` or `or`."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._nodes: list[Any] = data["nodes"]
        self._edges: dict[int, list[int]] = {}
        for start, end in data["connections"]:
            self._edges.setdefault(start, []).append(end)
        self._tools = {
            node[0]: index
            for index, node in enumerate(self._nodes)
            if not isinstance(node, str)
        }

    def __contains__(self, tool: str) -> bool:
        return tool in self._tools

    def requirement(self, tool: str) -> Json | None:
        """What the graph asks for before a call of the tool; None for nothing."""
        root = self._tools[tool]
        argument_of = {
            variable: argument for argument, variable in self._nodes[root][1].items()
        }
        edges = self._edges.get(root, [])
        return self._tree(edges[0], argument_of) if edges else None

    def _tree(self, index: int, argument_of: Mapping[str, str]) -> Json:
        node = self._nodes[index]
        if isinstance(node, str):
            parts = [self._tree(end, argument_of) for end in self._edges.get(index, [])]
            return {"all" if node == "and" else "any": parts}
        return {"call": node[0], "bind": _bound(node[1], argument_of)}


def _bound(
    arguments: Mapping[str, str], argument_of: Mapping[str, str]
) -> dict[str, str]:
    return {
        mine: argument_of[variable]
        for mine, variable in arguments.items()
        if variable in argument_of
    }


def implied(
    tasks: Mapping[str, Json], graphs: Mapping[str, Json]
) -> dict[str, dict[str, list[Json]]]:
    """By domain and tool: the calls that a successful call of the tool stands for."""
    found: dict[str, dict[str, list[Json]]] = {}
    for task in tasks.values():
        tools = graphs.get(task["domain"], {})
        written = list(_chains(task.get("constraints_original")))
        for chain in _chains(task.get("constraints")):
            *before, last = chain
            if chain in written or last[0] != "single" or last[1] not in tools:
                continue
            argument_of = {variable: argument for argument, variable in last[2].items()}
            entries = found.setdefault(task["domain"], {}).setdefault(last[1], [])
            for _, tool, arguments in (
                single
                for part in before
                if part[0] != "or"
                for single in _singles(part)
            ):
                entry = {"call": tool, "bind": _bound(arguments, argument_of)}
                if tool in tools and entry not in entries:
                    entries.append(entry)
    return found


def _chains(constraint: Any) -> Iterator[list[Any]]:
    if not constraint or constraint[0] == "single":
        return
    if constraint[0] == "chain":
        yield constraint[1]
    for part in constraint[1]:
        yield from _chains(part)


def _singles(constraint: Any) -> Iterator[Any]:
    if constraint[0] == "single":
        yield constraint
        return
    for part in constraint[1]:
        yield from _singles(part)


class Converter:
    """Runs into results and contracts; runs with equal expectations share a contract."""

    def __init__(self, tasks: dict[str, Json], graphs: dict[str, Json]) -> None:
        self._tasks = tasks
        self._graphs = {
            domain: {tool: Graph(data) for tool, data in tools.items()}
            for domain, tools in graphs.items()
        }
        self._implied = implied(tasks, graphs)
        self._shared: dict[str, Json] = {}

    @property
    def contracts(self) -> list[Json]:
        """Every contract that the results name."""
        return list(self._shared.values())

    def result(self, run: Json) -> Json:
        """The agent result of a run."""
        task = self._tasks[run["task_id"]]
        contract = self._contract(task, run)
        return {
            "result_id": run["run_id"],
            "task_id": contract["task_id"],
            "agent_model": run.get("agent_model"),
            "output": {"final_answer": run.get("final_message")},
            "state": {"diff": [_change(change) for change in run["state_diff"]]},
            "trace": {
                "steps": [
                    {"role": "user", "content": task["user_prompt"]},
                    *map(_step, run["calls"]),
                ]
            },
        }

    def _contract(self, task: Json, run: Json) -> Json:
        called = sorted({task["user_goal"], *(call["name"] for call in run["calls"])})
        expected = [_change(change) for change in run["strict_state_diff"]]
        key = json.dumps([task["task_id"], called, expected], sort_keys=True)
        if key not in self._shared:
            self._shared[key] = {
                "task_id": f"{task['task_id']}/{len(self._shared)}",
                "sop": {
                    "replay": {"wrapped": True},
                    "prerequisites": self._prerequisites(task, called),
                },
                "state": {"expected": expected},
            }
        return self._shared[key]

    def _prerequisites(self, task: Json, called: list[str]) -> list[Json]:
        own, others = (
            Graph(task["directed_action_graph"]),
            self._graphs.get(task["domain"], {}),
        )
        stands_for = self._implied.get(task["domain"], {})
        found: list[Json] = []
        for tool in called:
            graph = own if tool in own else others.get(tool)
            requirement = None if graph is None else graph.requirement(tool)
            entry: Json = {"tool": tool, "implies": stands_for.get(tool, [])}
            found.append(
                entry if requirement is None else {**entry, "requires": requirement}
            )
        return found


def _step(call: Json) -> Json:
    """One call. One that the simulator cannot even make is a failed call."""
    arguments = call["args"]
    step: Json = {
        "tool_name": call["name"],
        "result": call["result"],
        "replay": call["strict_result"],
    }
    step |= (
        {"arguments": arguments}
        if isinstance(arguments, dict)
        else {"raw_arguments": arguments}
    )
    if call["strict_status"] != "ok":
        step |= {"replay_status": call["strict_status"], "status": "error"}
    return step


def _change(change: Json) -> Json:
    path = "/" + str(change["path"]).removeprefix("/").replace("~", "~0")
    operation = {(False, True): "add", (True, False): "remove"}.get(
        ("before" in change, "after" in change), "replace"
    )
    kept: Json = {key: change[key] for key in ("before", "after") if key in change}
    return {"path": path, "op": change.get("op") or operation, **kept}


def rows(path: Path) -> Iterator[Json]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def grade(folder: Path) -> dict[str, Json]:
    """Grade what stands in the folder; the reports by run id."""
    command = [
        *(
            _judgemesh(),
            "grade",
            str(folder / "results.jsonl"),
            "--contracts",
            str(folder / "contracts.yaml"),
        ),
        *(
            "--ledger",
            f"sqlite:///{folder / 'ledger.db'}",
            "-o",
            str(folder / "reports.jsonl"),
        ),
        *("--no-progress", "--quiet"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in GRADED:
        print(f"{done.stdout}\n{done.stderr}".strip(), file=sys.stderr)
        message = f"judgemesh grade ended with exit code {done.returncode}"
        raise SystemExit(message)
    return {report["result_id"]: report for report in rows(folder / "reports.jsonl")}


def _judgemesh() -> str:
    beside = Path(sys.executable).with_name("judgemesh")
    found = str(beside) if beside.is_file() else shutil.which("judgemesh")
    if found is None:
        message = "the command `judgemesh` is not installed; `pip install -e .` at the repository's root installs it"
        raise SystemExit(message)
    return found


def said(report: Json, validator: str) -> bool | None:
    """Whether a validator passed (True), failed (False), or could not say (None)."""
    kinds = {
        verdict["kind"]
        for verdict in report["verdicts"]
        if verdict["validator_name"] == validator
    }
    if "fail" in kinds:
        return False
    return True if kinds == {"pass"} else None


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no recorded run."""
    parser = argparse.ArgumentParser(
        description="Agreement with the official grades of recorded SOPBench runs."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args().data
    names = ("runs.jsonl", "tasks.jsonl", "domain_graphs.json")
    if missing := [name for name in names if not (folder / name).is_file()]:
        print(f"{folder}: no {', '.join(missing)}", file=sys.stderr)
        return 2
    tasks = {task["task_id"]: task for task in rows(folder / "tasks.jsonl")}
    graphs: dict[str, Json] = json.loads(
        (folder / "domain_graphs.json").read_text(encoding="utf-8")
    )
    runs = [run for run in rows(folder / "runs.jsonl") if run["task_id"] in tasks]
    if not runs:
        print(f"{folder}: no run whose task is there", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="sopbench_") as scratch:
        place, converter = Path(scratch), Converter(tasks, graphs)
        with (place / "results.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(converter.result(run)) + "\n" for run in runs)
        # JSON is YAML; one document each.
        documents = "\n---\n".join(
            json.dumps(contract) for contract in converter.contracts
        )
        (place / "contracts.yaml").write_text(documents, encoding="utf-8")
        reports = grade(place)
    agree = {
        name: sum(
            said(reports[run["run_id"]], validator) is run["official"][official]
            for run in runs
        )
        for name, (validator, official) in CHECKS.items()
    }
    print(
        json.dumps(
            {
                "runs": len(runs),
                **{name: round(count / len(runs), 4) for name, count in agree.items()},
            }
        )
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
