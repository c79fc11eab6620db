"""How much hostile text is found in each field and form of a result, and how much honest text is disturbed.

    python benchmarks/judging/hostile_fields.py [--list] [--attacks FILE.toml ...]

The attacks of `tests/judging/attacks/*.toml` and the honest texts of `benchmarks/judging/honest.toml` stand in the
places that an agent fills (final answer, outputs, a list of them, citations, claims, parameters of an action, results
of a tool), as the criteria of a contract show them to a judge, in several forms: as they are, with a line break, a tab
or a no-break space for each blank, and inside JSON that is itself a text.

Prints one JSON line: `attacks`, `texts` (attacks x places x forms), `caught` (share that is marked or withheld), by
place, by form and by category; `honest`, `honest_texts`, `false_alarms` (share of the honest ones that is changed).
`--list` prints on stderr the attacks that are found nowhere, and the honest texts that are changed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Ask
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.validator import Case
from judgemesh.mesh.judging.prompting.sanitise import sanitise
from judgemesh.validators.criteria import criteria

Json = dict[str, Any]
ROOT: Final = Path(__file__).resolve().parents[2]
ATTACKS: Final = sorted((ROOT / "tests" / "judging" / "attacks").glob("*.toml"))
HONEST: Final = Path(__file__).with_name("honest.toml")
_CONTRACT: Final = EvalContract.model_validate(
    {
        "task_id": "t",
        "criteria": [
            {
                "id": "c",
                "question": "Is the date named?",
                "materials": ["final_answer", "outputs", "actions", "trace"],
            }
        ],
    }
)
_BASE: Final[Json] = {"final_answer": "It was on Monday."}

PLACES: Final[Mapping[str, Callable[[str], Json]]] = {
    "final_answer": lambda text: {"output": {"final_answer": text}},
    "outputs": lambda text: {"output": {**_BASE, "outputs": {"note": text}}},
    "outputs list": lambda text: {
        "output": {**_BASE, "outputs": {"rows": [{"id": 1, "note": text}]}}
    },
    "citations": lambda text: {"output": {**_BASE, "citations": [{"text": text}]}},
    "claims": lambda text: {"output": {**_BASE, "claims": [{"text": text}]}},
    "parameters": lambda text: {
        "output": _BASE,
        "actions": [{"kind": "send", "parameters": {"body": text}}],
    },
    "tool result": lambda text: {
        "output": _BASE,
        "trace": {"steps": [{"tool_name": "read", "result": text}]},
    },
    "tool result object": lambda text: {
        "output": _BASE,
        "trace": {"steps": [{"tool_name": "read", "result": {"page": text}}]},
    },
}
FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "as it is": lambda text: text,
    "line breaks": lambda text: text.replace(" ", "\n"),
    "Windows line breaks": lambda text: text.replace(" ", "\r\n"),
    "tabs": lambda text: text.replace(" ", "\t"),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "JSON in a text": lambda text: json.dumps({"note": text.replace(" ", "\n")}),
}


def read_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Category and text of every row of a file."""
    tables: dict[str, dict[str, list[str]]] = tomllib.loads(
        path.read_text(encoding="utf-8")
    )
    for category, table in tables.items():
        for text in table.get("texts", ()):
            yield category, text


def is_marked(place: str, text: str) -> bool:
    """Whether the text is marked or withheld in the materials of a criterion, or fails it unasked."""
    result = AgentResult.model_validate(
        {"result_id": "r", "task_id": "t", **PLACES[place](text)}
    )
    case = Case(result=result, contract=_CONTRACT, judge=True)
    asking = cast("Generator[Mapping[str, object], Any, Any]", criteria(case))
    asks = next(asking, None) or {}
    for need in asks.values():
        if isinstance(need, Ask):
            return any(sanitise(part.text).replaced for part in need.materials)
    return True


def measure(attacks: list[tuple[str, str]]) -> tuple[Json, list[str]]:
    """The shares of attacks that are marked, and the attacks that are marked nowhere."""
    totals: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    missed: list[str] = []
    for category, text in attacks:
        found = False
        for place in PLACES:
            for form, change in FORMS.items():
                marked = is_marked(place, change(text))
                found = found or marked
                for key in ("all", f"place {place}", f"form {form}", category):
                    totals[key] += 1
                    caught[key] += marked
        if not found:
            missed.append(f"{category}: {text}")
    shares = {key: round(caught[key] / totals[key], 3) for key in totals}
    return {"attacks": len(attacks), "texts": totals["all"], "caught": shares}, missed


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Hostile text by field and form.")
    parser.add_argument("--attacks", type=Path, nargs="+", default=ATTACKS)
    parser.add_argument("--honest", type=Path, default=HONEST)
    parser.add_argument("--list", action="store_true", help="print what is wrong")
    options = parser.parse_args()
    attacks = [row for path in options.attacks for row in read_texts(path)]
    honest = list(read_texts(options.honest))
    line, missed = measure(attacks)
    disturbed: list[str] = []
    changed = 0
    for category, text in honest:
        marked = sum(is_marked(place, text) for place in PLACES)
        changed += marked
        if marked:
            disturbed.append(f"{category}: {text}")
    line["honest"] = len(honest)
    line["honest_texts"] = len(honest) * len(PLACES)
    line["false_alarms"] = round(changed / max(1, len(honest) * len(PLACES)), 4)
    if options.list:
        for title, rows in (("not found", missed), ("changed", disturbed)):
            for row in rows:
                print(f"{title}: {row}", file=sys.stderr)
    print(json.dumps(line, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
