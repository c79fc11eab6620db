"""How much of real transcripts the converter reads, form by form.

    python benchmarks/accuracy/transcripts.py --data FOLDER [--form NAME]... [--list]

FOLDER holds `manifest.jsonl`: for each file of each form what a converter must find in it (`expected`). Every file is
read as `judgemesh convert` reads it, and compared leniently: a result counts where it is the same text, the same JSON
value, the Python `repr` of the value, or holds the text where the row says so; a tool counts by its name or by the name
that the form writes; the error of a call counts only where the form has a flag for it.

Prints one JSON line:

- `files`, `whole`: files in which nothing is missing and nothing invented; `forms`, `forms_whole`: forms of such files;
- `held`, `found`, `share`: calls, arguments, results, error flags, user turns, answers, models and token counts the
  files hold, and those found; `by_kind`: the same for each of them;
- `invented`: calls that no file holds; `missing`: what is missing, by form. `--list` prints each miss.

Exit code 1 when `share` is below 0.98 or a call is invented, 2 when the folder holds no manifest.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import JudgemeshError
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import conversations_of
from judgemesh.mesh.tracing.readers.source import TraceFile

Json = dict[str, Any]
SHARE: Final = 0.98


@dataclass
class Score:
    """What one file holds, and what of it was found."""

    held: Counter[str] = field(default_factory=Counter[str])
    found: Counter[str] = field(default_factory=Counter[str])
    invented: int = 0
    misses: list[str] = field(default_factory=list[str])

    def check(self, kind: str, *, ok: bool, what: object) -> None:
        """Count one thing that the file holds."""
        self.held[kind] += 1
        if ok:
            self.found[kind] += 1
        else:
            self.misses.append(f"{kind}: {what}")

    @property
    def whole(self) -> bool:
        """Whether everything was found and nothing invented."""
        return not self.misses and not self.invented


def score_of(rows: list[Json], folder: Path) -> Score:
    """The score of a file, whose rows state one conversation each."""
    score = Score()
    wanted = [part for row in rows for part in expected_of(row)]
    path = folder / rows[0]["file"]
    try:
        got = list(conversations_of(Document(path.name, TraceFile(path))))
    except JudgemeshError as error:
        score.misses.append(f"file: {error}")
        got = []
    for extra in got[len(wanted) :]:
        score.invented += len(list(extra.calls))
        score.misses.append("conversations: more than the file holds")
    for position, (row, expected) in enumerate(wanted):
        given = got[position] if position < len(got) else Conversation()
        compare(row, expected, given, score)
    return score


def expected_of(row: Json) -> list[tuple[Json, Json]]:
    """A row with each conversation that it expects."""
    expected = row["expected"]
    parts = cast(
        "list[Json]",
        expected
        if isinstance(expected, list)
        else expected.get("conversations") or [expected],
    )
    return [(row, part) for part in parts]


def compare(row: Json, expected: Json, given: Conversation, score: Score) -> None:
    """Count everything that a conversation holds."""
    calls = list(given.calls)
    for call in expected["calls"]:
        if call.get("in_file") is False:
            continue
        match = take(call, calls)
        score.check("calls", ok=match is not None, what=call["tool"])
        check_call(row, call, match or {}, score)
    for call in expected.get("calls_in_code", ()):
        take(call, calls)
    score.invented += len(calls)
    score.misses += [
        f"invented: {step['tool_name']} {step.get('arguments')}" for step in calls
    ]
    lost = any(call.get("in_file") is False for call in expected["calls"])
    if given.unread and not lost:
        score.misses.append(f"unread: {given.unread}")
    contains = expected.get("user_messages_match") == "contains"
    turns = list(given.user_turns)
    for position, text in enumerate(expected["user_messages"]):
        turn = turns[position] if position < len(turns) else ""
        score.check(
            "user turns",
            ok=text in turn if contains else text == turn,
            what=turn or text,
        )
    for turn in turns[len(expected["user_messages"]) :]:
        score.misses.append(f"user turns: not of the user: {turn[:80]}")
    if expected["final_answer"] is not None:
        score.check(
            "answer", ok=given.answer == expected["final_answer"], what=given.answer
        )
    elif given.answer:
        score.misses.append(f"answer: none was given: {given.answer[:80]}")
    check_meta(row, expected, given, score)


def check_meta(row: Json, expected: Json, given: Conversation, score: Score) -> None:
    """Count model and tokens."""
    names = {
        expected.get("model"),
        row.get("model_requested"),
        row.get("model_also"),
    } - {None}
    if expected.get("model"):
        score.check("model", ok=given.model in names, what=given.model)
    for key, count in (
        ("tokens_in", given.tokens_in),
        ("tokens_out", given.tokens_out),
    ):
        if expected.get(key) is not None:
            score.check(
                "tokens",
                ok=count == expected[key],
                what=f"{key} {count}, not {expected[key]}",
            )


def take(call: Json, steps: list[Json]) -> Json | None:
    """The step of the call, taken out of the list: the one that fits best, then the first of that tool."""
    named = [
        step
        for step in steps
        if step["tool_name"] in (call["tool"], call.get("tool_as_written"))
    ]
    named.sort(
        key=lambda step: (not same_arguments(call, step), not same_result(call, step))
    )
    if not named:
        return None
    steps.remove(named[0])
    return named[0]


def check_call(row: Json, call: Json, step: Json, score: Score) -> None:
    """Count arguments, result and error flag of one call."""
    if call.get("raw_in_file") is not False:
        score.check(
            "arguments",
            ok=bool(step) and same_arguments(call, step),
            what=(step.get("arguments"), step.get("arguments_text")),
        )
    if call.get("result_text") is not None:
        score.check(
            "results",
            ok=same_result(call, step),
            what=(step.get("result"), call["result_text"]),
        )
    flagged = step.get("status") == "error" or bool(step.get("error"))
    if call.get("error") and row.get("error_sign") == "flag":
        score.check("errors", ok=flagged, what=step.get("result"))
    elif not call.get("error") and flagged:
        score.misses.append(f"errors: not one: {step.get('error')}")


def same_arguments(call: Json, step: Json) -> bool:
    """Whether the arguments are the call's: the object, or the text that is no object."""
    wanted = call.get("arguments")
    text = step.get("arguments_text")
    if isinstance(wanted, str):
        return text == wanted or wanted in (step.get("arguments") or {}).values()
    if wanted is None:
        return call.get("arguments_raw") in (text, None)
    return text is None and (step.get("arguments") or {}) == wanted


def same_result(call: Json, step: Json) -> bool:
    """Whether the result is the call's, leniently."""
    wanted = call.get("result_text")
    if wanted is None:
        return True
    candidates = [step.get("result"), step.get("error")]
    if call.get("match") == "contains":
        return any(wanted in as_text(given) for given in candidates)
    values = [wanted, *([call["result_value"]] if "result_value" in call else [])]
    return any(
        same(value, given)
        for value in values
        for given in candidates
        if given is not None
    )


def same(wanted: Any, given: Any) -> bool:
    """Whether two values are one, as text, as JSON or as the `repr` of a Python value."""
    return (
        wanted == given
        or as_text(wanted) == as_text(given)
        or value_of(wanted) == value_of(given)
    )


def as_text(value: Any) -> str:
    """The value as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def value_of(value: Any) -> Any:
    """The value that a text writes as JSON or as Python; the value itself where it writes none."""
    if not isinstance(value, str):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return value


def summary(scores: dict[str, list[Score]]) -> Json:
    """The figures over all forms."""
    every = [score for group in scores.values() for score in group]
    held = sum((score.held for score in every), Counter[str]())
    found = sum((score.found for score in every), Counter[str]())
    missing = {
        form: missing_of(group)
        for form, group in scores.items()
        if not all(score.whole for score in group)
    }
    return {
        "files": len(every),
        "whole": sum(score.whole for score in every),
        "forms": len(scores),
        "forms_whole": len(scores) - len(missing),
        "found": found.total(),
        "held": held.total(),
        "share": round(found.total() / held.total(), 4) if held else 0.0,
        "invented": sum(score.invented for score in every),
        "by_kind": {
            kind: f"{found[kind]}/{count}" for kind, count in sorted(held.items())
        },
        "missing": missing,
    }


def missing_of(group: list[Score]) -> dict[str, int]:
    """How many things of each kind the files of a form miss."""
    return dict(
        Counter(miss.partition(":")[0] for score in group for miss in score.misses)
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--form", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    manifest = options.data / "manifest.jsonl"
    if not manifest.is_file():
        print(f"{manifest}: does not exist", file=sys.stderr)
        return 2
    files: dict[str, list[Json]] = {}
    for line in manifest.read_text(encoding="utf-8").splitlines():
        row: Json = json.loads(line)
        if not options.form or row["form"] in options.form:
            files.setdefault(row["file"], []).append(row)
    scores: dict[str, list[Score]] = {}
    for name, rows in files.items():
        score = score_of(rows, options.data)
        scores.setdefault(rows[0]["form"], []).append(score)
        for miss in score.misses if options.list else ():
            print(f"{name}: {miss}", file=sys.stderr)
    figures = summary(scores)
    print(json.dumps(figures, ensure_ascii=False))
    return 0 if figures["share"] >= SHARE and not figures["invented"] else 1


if __name__ == "__main__":
    sys.exit(main())
