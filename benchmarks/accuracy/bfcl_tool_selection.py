"""How often the tool-call check agrees with the official verdict on recorded function calls.

    python benchmarks/accuracy/bfcl_tool_selection.py --data FOLDER

turns every row of the folder's `*.jsonl` into a result (a trace with the calls) and a contract (the gold calls, in any
order, no call beyond them), grades them, and compares the gate with `official_valid`. Prints one JSON line: `items`,
`agree` (share by category), `first_pick_accuracy` (share of items by model whose first call is one of the gold calls,
or in which no call was right and none was made) and `first_tool_accuracy` (the same for the tool alone).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from accuracy.grading import Json, grade, rows_of

NEEDED = ("model", "category", "id", "offered", "gold", "calls", "official_valid")
NOT_GIVEN = ""
"""The allowed value that stands for leaving an argument out."""
MOST_FORMS = 2_000
_SUFFIX = re.compile(r"[ _]\d+$")


def contract_of(task_id: str, offered: list[str], gold: list[Json]) -> Json:
    """The contract of an item: its gold calls, and the tools at hand."""
    calls = [
        _expected(name, arguments, offered)
        for call in gold
        for name, arguments in call.items()
    ]
    return {
        "task_id": task_id,
        "tools": {
            "expected": calls,
            "extra_calls": "forbid",
            "gate": True,
            "registry": [
                _tool(name)
                for name in dict.fromkeys([*offered, *(call["tool"] for call in calls)])
            ],
        },
        # A function call is no finished task: nothing but the calls is graded.
        "validators": [{"name": "completion", "enabled": False}],
    }


def _tool(name: str) -> Json:
    # Some interfaces take no dots in names, so that models call these tools with underscores.
    flat = name.replace(".", "_")
    return {"name": name, "aliases": [flat] if flat != name else []}


def _expected(name: str, arguments: object, offered: list[str]) -> Json:
    allowed = (
        cast("dict[str, list[Any]]", arguments) if isinstance(arguments, dict) else {}
    )
    return {
        "tool": offered_name(name, offered),
        "arguments": {key: _matcher(values) for key, values in allowed.items()},
        "optional": [key for key, values in allowed.items() if NOT_GIVEN in values],
    }


def offered_name(name: str, offered: list[str]) -> str:
    """The offered tool a gold key means: by its name, without the number that tells it from its double, or by the last
    part of a dotted name where only one tool ends in it."""
    if name in offered:
        return name
    bare = _SUFFIX.sub("", name)
    if bare in offered:
        return bare
    ending = {tool for tool in offered if tool.endswith(f".{name}")}
    return ending.pop() if len(ending) == 1 else name


def _matcher(values: list[Any]) -> Json:
    # The official check takes a whole number for a fraction as an argument, but not inside a list.
    numbers = [value for value in values if value != NOT_GIVEN]
    strict = bool(numbers) and all(
        isinstance(value, list) and not _has_text(value) for value in numbers
    )
    return {"one_of": forms(values), **({"strict": True} if strict else {"fold": True})}


def _has_text(value: Any) -> bool:
    if isinstance(value, list | dict):
        inner = (
            list(cast("Json", value).values())
            if isinstance(value, dict)
            else cast("list[Any]", value)
        )
        return any(_has_text(item) for item in inner)
    return isinstance(value, str)


def forms(values: list[Any]) -> list[Any]:
    """The allowed values written out: an object gives a list of allowed values for each of its keys."""
    return [form for value in values for form in _forms(value)]


def _forms(value: Any) -> list[Any]:
    if isinstance(value, dict):
        given = cast("Json", value)
        choices = [
            [_LEFT_OUT if one == NOT_GIVEN else one for one in allowed]
            for allowed in given.values()
        ]
        combined = [
            {
                key: one
                for key, one in zip(given, chosen, strict=True)
                if one is not _LEFT_OUT
            }
            for chosen in _some(product(*choices))
        ]
        return cast("list[Any]", combined)
    if isinstance(value, list) and any(
        isinstance(item, dict) for item in cast("list[Any]", value)
    ):
        return [
            list(chosen)
            for chosen in _some(
                product(*(_forms(item) for item in cast("list[Any]", value)))
            )
        ]
    return [value]


def _some(items: Any) -> list[Any]:
    return [item for item, _ in zip(items, range(MOST_FORMS), strict=False)]


_LEFT_OUT = object()


def result_of(result_id: str, task_id: str, row: Json) -> Json:
    """A row as the run it records: what was said, then the calls."""
    said = {"role": "assistant", "content": row.get("raw") or "(no text)"}
    made = cast("list[Json]", row["calls"] or [])
    calls = [{"tool_name": call["name"], "arguments": call["args"]} for call in made]
    return {
        "result_id": result_id,
        "task_id": task_id,
        "agent_model": row["model"],
        # The board has read the calls: a call that only stands in the text is none to it.
        "trace": {"steps": [said, *calls], "complete": True},
    }


def measure(rows: list[Json]) -> Json:
    """Grade the rows and add up."""
    contracts: dict[str, Json] = {}
    results: dict[str, Json] = {}
    by_id: dict[str, Json] = {}
    for number, row in enumerate(rows):
        asked = json.dumps([row["offered"], row["gold"]], sort_keys=True)
        if asked not in contracts:
            contracts[asked] = contract_of(
                f"item-{len(contracts)}", row["offered"], row["gold"]
            )
        result_id = f"row-{number}"
        by_id[result_id] = row
        results[result_id] = result_of(result_id, contracts[asked]["task_id"], row)
    agree: dict[str, list[bool]] = defaultdict(list)
    first_pick: dict[str, list[bool]] = defaultdict(list)
    first_tool: dict[str, list[bool]] = defaultdict(list)
    for result_id, report in grade(
        list(contracts.values()), list(results.values())
    ).items():
        row = by_id[result_id]
        gate = report.gate.value
        agree[row["category"]].append(
            gate == ("pass" if row["official_valid"] else "fail")
        )
        details = next(
            one.verdict.details
            for one in report.verdicts
            if one.verdict.check == "picks"
        )
        first_pick[row["model"]].append(details.get("first_pick_correct") is True)
        first_tool[row["model"]].append(details.get("first_tool_correct") is True)
    return {
        "items": len(rows),
        "agree": shares(agree),
        "first_pick_accuracy": shares(first_pick),
        "first_tool_accuracy": shares(first_tool),
    }


def shares(found: dict[str, list[bool]]) -> dict[str, float]:
    """The share of true ones by key."""
    return {
        key: round(sum(values) / len(values), 4)
        for key, values in sorted(found.items())
    }


def main() -> int:
    """Run the benchmark; exit code 2 when the folder holds no recorded calls."""
    parser = argparse.ArgumentParser(
        description="Agreement of the tool-call check with official verdicts."
    )
    parser.add_argument("--data", required=True, type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args().data
    rows = rows_of(folder, NEEDED)
    if not rows:
        print(
            f"{folder}: no *.jsonl file with recorded function calls", file=sys.stderr
        )
        return 2
    print(json.dumps(measure(rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
