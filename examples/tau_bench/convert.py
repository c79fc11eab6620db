"""Turn recorded tau-bench runs into agent results and eval contracts.

    python examples/tau_bench/convert.py INPUT.jsonl... --out DIR

writes `DIR/results.jsonl` (one agent result a run, `result_id` = `run_id`) and `DIR/contracts.yaml` (one contract for
every distinct set of expectations). A row needs `run_id`, `task_id`, `messages`, `state_diff` and
`expected_state_diff`; every other key may be absent. Rows that cannot be used are named on stderr and left out.

What the benchmark counts as success is three things, and each has its place in the contract:

* the run ended by itself: a run that did not gets the status `timeout`;
* the final database equals the expected one: `state.expected` lists the expected changes, and any other change is a
  side effect;
* every expected output occurs in some message to the user, in any case and with commas removed: one required field
  an output, found by a pattern over the transcript.

Where the expert trace writes, the contract says that an execution is required. If the expected change is empty all the
same, an unchanged database proves nothing, and the grade of such a run is `undecided` where it would have been a pass.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

Json = dict[str, Any]
Note = Callable[[str], None]

NEEDED_KEYS = ("run_id", "task_id", "messages", "state_diff", "expected_state_diff")

TOOLS_THAT_WRITE = {
    "airline": {
        "book_reservation",
        "cancel_reservation",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    },
    "retail": {
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "return_delivered_order_items",
    },
}
"""The tools of the two published domains that change the database; their other tools only read."""

READING_VERBS = frozenset(
    """ask browse calculate check compare compute convert count describe estimate fetch find get inspect is list look
    lookup preview query quote read respond retrieve search show sort summarize think track validate verify
    view""".split()  # noqa: SIM905 (a word list reads better than forty quoted lines)
)
"""First words of tool names that only read. A tool of another domain that starts with any other word writes."""

HAND_OVER = re.compile(
    r"(?i)transfer_?to_?(a_?)?(human|agent|person|operator|supervisor|support)"
)
"""Handing the conversation to a person changes no data, although `transfer_money` would."""

SOFT_CODES = ("MISSING_FINAL_ANSWER", "EMPTY_OR_INVALID_OUTPUT")
"""The benchmark asks for no closing message, so that its absence must not decide the gate here."""

NEVER = r"[^\x00-\x{10FFFF}]"
"""An RE2 pattern that no text has."""


def writes(tool: str) -> bool:
    """Whether a call of `tool` can change the database: by the table of known tools, else by its verb."""
    if any(tool in names for names in TOOLS_THAT_WRITE.values()):
        return True
    if HAND_OVER.match(tool):
        return False
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", tool.rsplit(".", 1)[-1])
    return not words or words[0].lower() not in READING_VERBS


def output_pattern(text: str) -> str:
    """The RE2 pattern that finds `text` in a message as the benchmark does: any case, commas in the message ignored.

    The benchmark removes commas from the message only, so an output with a comma in it is never found.
    """
    if "," in text:
        return NEVER
    return "(?i)" + ",*".join(
        re.sub(r"[\\.+*?()|\[\]{}^$]", r"\\\g<0>", character) for character in text
    )


@dataclass(frozen=True)
class Expectation:
    """What one task wants; runs with equal expectations share a contract."""

    key: str
    instruction: str
    outputs: tuple[str, ...]
    changes: tuple[Json, ...]
    execution_required: bool

    def digest(self) -> str:
        """Equal for equal expectations."""
        parts = [
            self.key,
            self.instruction,
            self.outputs,
            self.changes,
            self.execution_required,
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def expectation_of(row: Mapping[str, Any]) -> Expectation:
    """The expectation that a row carries."""
    domain = str(row.get("domain") or "task")
    outputs = dict.fromkeys(
        _plain(output) for output in row.get("expected_outputs") or ()
    )
    return Expectation(
        key=f"{domain}/{row['task_id']}",
        instruction=str(row.get("instruction") or ""),
        outputs=tuple(output for output in outputs if output.strip()),
        changes=tuple(_change(change) for change in row["expected_state_diff"] or ()),
        execution_required=any(
            writes(str(action.get("name")))
            for action in row.get("expected_actions") or ()
        ),
    )


def contract_of(expectation: Expectation, task_id: str) -> Json:
    """The eval contract for an expectation."""
    names = {
        f"output_{number}": text
        for number, text in enumerate(expectation.outputs, start=1)
    }
    criteria: Json = {"must_include": list(names)} if names else {}
    criteria["execution_result"] = {"required": expectation.execution_required}
    contract: Json = {"task_id": task_id, "task_name": expectation.key}
    if expectation.instruction:
        contract["input"] = {"instruction": expectation.instruction}
    contract["success_criteria"] = criteria
    if names:
        contract["fields"] = {name: _field(text) for name, text in names.items()}
    contract["state"] = {
        "expected": [_expected_change(change) for change in expectation.changes]
    }
    contract["outcome"] = {"effects": dict.fromkeys(SOFT_CODES, "soft")}
    return contract


def _field(text: str) -> Json:
    """How an expected output is found: only by its pattern, in anything the agent told the user."""
    return {
        "find_by": ["pattern"],
        "search": "transcript",
        "pattern": output_pattern(text),
    }


def result_of(row: Mapping[str, Any], task_id: str) -> Json:
    """The agent result of a run."""
    said = [
        text for message in row["messages"] or () if (text := _said_by_agent(message))
    ]
    result: Json = {
        "result_id": str(row["run_id"]),
        "task_id": task_id,
        "agent_model": row.get("agent_model"),
        "status": "timeout" if row.get("terminated") is False else "completed",
        "output": {"final_answer": said[-1] if said else None},
        "state": {"diff": [_change(change) for change in row["state_diff"] or ()]},
        "trace": {"steps": list(_steps(row))},
        "metadata": {
            key: row[key]
            for key in ("domain", "trial", "source")
            if row.get(key) is not None
        },
    }
    return {key: value for key, value in result.items() if value is not None}


def _change(change: Mapping[str, Any]) -> Json:
    """A change with its path as an RFC 6902 pointer; the operation follows from before/after where it is not given."""
    path = str(change["path"]).removeprefix("/").replace("~", "~0")
    path = f"/{path}" if path else ""
    operation = change.get("op") or {(False, True): "add", (True, False): "remove"}.get(
        ("before" in change, "after" in change), "replace"
    )
    return {
        "path": path,
        "op": operation,
        **{key: change[key] for key in ("before", "after") if key in change},
    }


def _expected_change(change: Json) -> Json:
    """The change as a contract expects it. The benchmark compares hashes of text, in which 250.0 is not 250."""
    expected = {key: value for key, value in change.items() if key != "before"}
    if "after" in expected and _holds_number(expected["after"]):
        expected["match"] = {"equals": expected["after"], "strict": True}
    return expected


def _holds_number(value: Any) -> bool:
    """Whether a number stands anywhere in the value."""
    if isinstance(value, dict | list):
        items: list[Any] = [*value.values()] if isinstance(value, dict) else [*value]
        return any(map(_holds_number, items))
    return isinstance(value, int | float) and not isinstance(value, bool)


def _steps(row: Mapping[str, Any]) -> Iterator[Json]:
    """Messages and tool calls in their order; a call's result comes from `calls`, matched by `seq`."""
    calls = {
        call.get("seq", place): call
        for place, call in enumerate(row.get("calls") or ())
    }
    for message in row["messages"] or ():
        called = message.get("tool_call")
        text = _text(message.get("content"))
        if called:
            yield _call_step({**called, **calls.pop(called.get("seq"), {})}, note=text)
        elif text:
            yield {"role": str(message.get("role") or "unknown"), "content": text}
    for call in calls.values():
        yield _call_step(call, note="")


def _call_step(call: Mapping[str, Any], note: str) -> Json:
    """One tool call. Text that came along with a call is no message to the user; it is kept beside the call."""
    arguments = call.get("args")
    given: Json = cast("Json", arguments) if isinstance(arguments, dict) else {}
    step: Json = {"tool_name": str(call.get("name") or ""), "arguments": given}
    if not isinstance(arguments, dict) and arguments is not None:
        step["raw_arguments"] = arguments
    step["result"] = call.get("result")
    if call.get("error"):
        step |= {
            "status": "error",
            "error": call["error"] if isinstance(call["error"], str) else True,
        }
    return {**step, "note": note} if note else step


def _said_by_agent(message: Mapping[str, Any]) -> str:
    """What the agent told the user in this message; a message that calls a tool tells nothing."""
    return (
        ""
        if message.get("tool_call") or message.get("role") != "assistant"
        else _text(message.get("content"))
    )


def _text(content: object) -> str:
    """The text of a message: a string, a list of parts with `text`, or nothing."""
    if isinstance(content, list):
        return "\n".join(_part(part) for part in cast("list[object]", content))
    return "" if content is None else str(content)


def _part(part: object) -> str:
    return (
        str(cast("Json", part).get("text") or "")
        if isinstance(part, dict)
        else str(part)
    )


def _plain(output: object) -> str:
    return output if isinstance(output, str) else json.dumps(output)


def read_rows(paths: Iterable[Path], note: Note) -> Iterator[Json]:
    """The usable rows of the files, each run id once; `note` is told what is left out."""
    seen: dict[str, str] = {}
    for path in paths:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                where = f"{path}:{number}"
                row, fault = _row(line)
                run_id = "" if row is None else str(row["run_id"])
                if row is not None and run_id in seen:
                    fault = f"run_id {run_id!r} stands at {seen[run_id]} too; convert the files into separate folders"
                if row is None or fault:
                    note(f"{where}: left out: {fault}")
                    continue
                seen[run_id] = where
                yield row


def _row(line: str) -> tuple[Json | None, str]:
    """The row on a line, or None and why it cannot be used."""
    try:
        row = _mended(json.loads(line, parse_constant=_no_constant))
    except (ValueError, RecursionError) as error:
        return None, f"no JSON: {error}"
    if not isinstance(row, dict):
        return None, "expected a JSON object"
    row = cast("Json", row)
    missing = [key for key in NEEDED_KEYS if key not in row]
    if missing:
        return None, f"lacks {', '.join(missing)}"
    lists = (
        "messages",
        "state_diff",
        "expected_state_diff",
        "calls",
        "expected_actions",
    )
    bad = [key for key in lists if not _is_list_of_objects(row.get(key))]
    bad += (
        []
        if all("path" in change for key in lists[1:3] for change in row[key] or ())
        else ["path of a change"]
    )
    bad += (
        []
        if isinstance(row.get("expected_outputs"), list | None)
        else ["expected_outputs"]
    )
    return (None, f"wrong type: {', '.join(bad)}") if bad else (row, "")


def _is_list_of_objects(value: object) -> bool:
    if not isinstance(value, list):
        return value is None
    return all(isinstance(item, dict) for item in cast("list[object]", value))


def _no_constant(name: str) -> None:
    message = f"{name} is no JSON number"
    raise ValueError(message)


def _mended(value: object) -> object:
    """The value without lone surrogates, which JSON can spell and UTF-8 cannot."""
    if isinstance(value, str):
        return (
            value.encode("utf-8", "replace").decode() if not value.isascii() else value
        )
    if isinstance(value, list):
        return [_mended(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {
            _mended(key): _mended(item)
            for key, item in cast("dict[str, object]", value).items()
        }
    return value


class ContractDumper(yaml.CSafeDumper):
    """Block YAML that means the same to a YAML 1.1 and a YAML 1.2 reader: any text in doubt is quoted."""

    def ignore_aliases(self, data: object) -> bool:
        """No anchors: every value is written out."""
        del data
        return True


_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SCALAR_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def _represent_text(_dumper: ContractDumper, text: str) -> yaml.ScalarNode:
    bare = _BARE.match(text) is not None and text.lower() not in _SCALAR_WORDS
    return yaml.ScalarNode("tag:yaml.org,2002:str", text, style=None if bare else '"')


ContractDumper.add_representer(str, _represent_text)


def dump_contracts(contracts: list[Json]) -> str:
    """The contracts, each a YAML document of its own."""
    return yaml.dump_all(
        contracts,
        Dumper=ContractDumper,
        explicit_start=True,
        sort_keys=False,
        allow_unicode=True,
        width=110,
    )


def convert(paths: list[Path], out: Path, note: Note) -> int:
    """Convert the files into `out`; returns how many runs were written."""
    variants: dict[str, dict[str, Expectation]] = {}
    for row in read_rows(paths, note):
        expectation = expectation_of(row)
        variants.setdefault(expectation.key, {}).setdefault(
            expectation.digest(), expectation
        )
    out.mkdir(parents=True, exist_ok=True)
    contracts = [
        contract_of(expectation, _task_id(key, digest, several=len(digests) > 1))
        for key, digests in variants.items()
        for digest, expectation in digests.items()
    ]
    (out / "contracts.yaml").write_text(dump_contracts(contracts), encoding="utf-8")
    count = 0
    with (out / "results.jsonl").open("w", encoding="utf-8") as lines:
        for row in read_rows(paths, _keep_quiet):
            expectation = expectation_of(row)
            several = len(variants[expectation.key]) > 1
            result = result_of(
                row, _task_id(expectation.key, expectation.digest(), several=several)
            )
            lines.write(json.dumps(result, ensure_ascii=False) + "\n")
            count += 1
    return count


def _keep_quiet(_line: str) -> None:
    """The second reading finds the same faults as the first."""


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr)


def _task_id(key: str, digest: str, *, several: bool) -> str:
    """`domain/task`, with a digest where runs of one task want different things."""
    return f"{key}@{digest[:12]}" if several else key


def main() -> int:
    """Run the command; exit code 2 when no row could be converted."""
    parser = argparse.ArgumentParser(
        description="Turn recorded tau-bench runs into agent results and eval contracts."
    )
    parser.add_argument("inputs", nargs="+", type=Path, metavar="INPUT.jsonl")
    parser.add_argument(
        "--out", required=True, type=Path, metavar="DIR", help="folder to write into"
    )
    arguments = parser.parse_args()
    missing = [path for path in arguments.inputs if not path.is_file()]
    if missing:
        print(f"{missing[0]}: no such file", file=sys.stderr)
        return 2
    count = convert(arguments.inputs, arguments.out, _to_stderr)
    print(
        f"{count} runs -> {arguments.out / 'results.jsonl'}, {arguments.out / 'contracts.yaml'}"
    )
    return 0 if count else 2


if __name__ == "__main__":
    raise SystemExit(main())
