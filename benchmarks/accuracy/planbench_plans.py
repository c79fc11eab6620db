"""How often the plan check agrees with the official verdict on recorded plans.

    python benchmarks/accuracy/planbench_plans.py --data FOLDER

turns every row of the folder's `*.jsonl` into a result (the plan) and a contract (start, goal, and what the actions of
its domain need and do), grades them, and compares the gate with `official_valid`. Prints one JSON line: `plans`
and `agree`, the share on which both say the same. A row of a domain that is not described here is left out, and
counted on stderr.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accuracy.grading import Json, grade, rows_of

NEEDED = ("id", "init", "goal", "agent_plan", "official_valid")

_BLOCKS: Final[Json] = {
    "pick-up": {
        "parameters": ["x"],
        "requires": ["clear {x}", "ontable {x}", "handempty"],
        "adds": ["holding {x}"],
        "removes": ["clear {x}", "ontable {x}", "handempty"],
    },
    "put-down": {
        "parameters": ["x"],
        "requires": ["holding {x}"],
        "adds": ["clear {x}", "ontable {x}", "handempty"],
        "removes": ["holding {x}"],
    },
    "stack": {
        "parameters": ["x", "y"],
        "requires": ["holding {x}", "clear {y}"],
        "adds": ["on {x} {y}", "clear {x}", "handempty"],
        "removes": ["holding {x}", "clear {y}"],
    },
    "unstack": {
        "parameters": ["x", "y"],
        "requires": ["on {x} {y}", "clear {x}", "handempty"],
        "adds": ["holding {x}", "clear {y}"],
        "removes": ["on {x} {y}", "clear {x}", "handempty"],
    },
}

_MYSTERY_WORDS: Final = {
    "pick-up": "attack", "put-down": "succumb", "stack": "overcome", "unstack": "feast", "clear": "province",
    "ontable": "planet", "handempty": "harmony", "holding": "pain", "on": "craves",
}  # fmt: skip
"""The same world under other names."""


def _renamed(actions: Json, words: dict[str, str]) -> Json:
    def facts(texts: list[str]) -> list[str]:
        return [
            " ".join(words.get(word, word) for word in text.split()) for text in texts
        ]

    return {
        words[name]: {
            key: facts(value) if key != "parameters" else value
            for key, value in action.items()
        }
        for name, action in actions.items()
    }


def _carry(vehicle: str) -> Json:
    moves = {"parameters": ["thing", "vehicle", "place"]}
    return {
        f"load-{vehicle}": {
            **moves,
            "requires": ["at {vehicle} {place}", "at {thing} {place}"],
            "adds": ["in {thing} {vehicle}"],
            "removes": ["at {thing} {place}"],
        },
        f"unload-{vehicle}": {
            **moves,
            "requires": ["at {vehicle} {place}", "in {thing} {vehicle}"],
            "adds": ["at {thing} {place}"],
            "removes": ["in {thing} {vehicle}"],
        },
    }


_LOGISTICS: Final[Json] = {
    **_carry("truck"),
    **_carry("airplane"),
    "drive-truck": {
        "parameters": ["truck", "from", "to", "city"],
        "requires": [
            "at {truck} {from}",
            "in-city {from} {city}",
            "in-city {to} {city}",
        ],
        "adds": ["at {truck} {to}"],
        "removes": ["at {truck} {from}"],
    },
    "fly-airplane": {
        "parameters": ["airplane", "from", "to"],
        "requires": ["at {airplane} {from}", "airport {from}", "airport {to}"],
        "adds": ["at {airplane} {to}"],
        "removes": ["at {airplane} {from}"],
    },
}

DOMAINS: Final[dict[str, Json]] = {
    "clear": _BLOCKS,
    "province": _renamed(_BLOCKS, _MYSTERY_WORDS),
    "in-city": _LOGISTICS,
}
"""What the actions of each domain need and change, by a predicate that every start of the domain holds."""


def actions_of(init: list[str]) -> Json | None:
    """The actions of the domain whose words the start uses; None for a domain that is not described here."""
    used = {
        fact.strip("() ").split(" ")[0].casefold() for fact in init if fact.strip("() ")
    }
    return next((actions for word, actions in DOMAINS.items() if word in used), None)


def contract_of(task_id: str, row: Json) -> Json:
    """The contract of an instance."""
    return {
        "task_id": task_id,
        "plan": {
            "actions": actions_of(row["init"]) or {},
            "initial": row["init"],
            "goal": row["goal"],
            "measure": ["ordering"],
        },
        # A plan is no finished task: nothing but the plan is graded.
        "validators": [{"name": "completion", "enabled": False}],
    }


def measure(rows: list[Json]) -> Json:
    """Grade the rows and add up."""
    contracts: dict[str, Json] = {}
    results: list[Json] = []
    official: dict[str, bool] = {}
    for number, row in enumerate(rows):
        asked = json.dumps([row["init"], row["goal"]])
        if asked not in contracts:
            contracts[asked] = contract_of(f"instance-{len(contracts)}", row)
        result_id = f"row-{number}"
        official[result_id] = bool(row["official_valid"])
        # The step before the calls shows that the run was recorded, so that an empty plan is no missing record.
        trace = [{"role": "user", "content": "Plan it."}]
        results.append(
            {
                "result_id": result_id,
                "task_id": contracts[asked]["task_id"],
                "plan": row["agent_plan"] or [],
                "trace": trace,
            }
        )
    reports = grade(list(contracts.values()), results)
    agree = sum(
        report.gate.value == ("pass" if official[name] else "fail")
        for name, report in reports.items()
    )
    return {"plans": len(rows), "agree": round(agree / len(rows), 6)}


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no recorded plans."""
    parser = argparse.ArgumentParser(
        description="Agreement of the plan check with official verdicts."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args().data
    found = rows_of(folder, NEEDED)
    rows = [row for row in found if actions_of(row["init"]) is not None]
    if len(rows) < len(found):
        print(
            f"{folder}: {len(found) - len(rows)} plans of other domains; left out",
            file=sys.stderr,
        )
    if not rows:
        print(f"{folder}: no *.jsonl file with recorded plans", file=sys.stderr)
        return 2
    print(json.dumps(measure(rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
