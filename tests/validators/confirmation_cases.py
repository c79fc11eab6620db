"""Replies of a user to a proposal, with what the confirmation check must say of an execution behind them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from judgemesh.validators.execution import execution

from .helpers import kinds, verdicts

OTHER_OUTCOMES: Final = frozenset({"fail", "undecided"})
"""What a reply that is no consent may come out as."""
_DATA: Final = Path(__file__).parent / "data"


class Replied(NamedTuple):
    """One reply: the family, what must come out, the name of the setting, the text."""

    family: str
    want: str
    setting: str
    reply: str


@cache
def _read(name: str) -> Any:
    return yaml.safe_load((_DATA / name).read_text(encoding="utf-8"))


@cache
def settings() -> dict[str, Mapping[str, Any]]:
    """The settings by name: what the agent proposed, and the record of what was executed."""
    return dict(_read("confirmation_replies.yaml")["settings"])


def replied() -> Iterator[Replied]:
    """The cases of the table."""
    for family, wanted in _read("confirmation_replies.yaml")["cases"].items():
        for want, by_setting in wanted.items():
            for setting, replies in by_setting.items():
                for reply in replies:
                    yield Replied(family, want, setting, reply)


def appended_conditions() -> list[str]:
    """Clauses that make any yes before them one with a condition."""
    return list(_read("confirmation_replies.yaml")["appended"])


def small_talk() -> dict[str, list[str]]:
    """Honest replies, by `english` and `other`."""
    return dict(_read("confirmation_small_talk.yaml"))


def outcome(setting: str, said: str, **changed: Any) -> str:
    """`pass`, `fail` or `undecided` of an execution after a turn of the user that answers the proposal of the setting.

    changed: keys of the setting with other values.
    """
    given = {**settings()[setting], **changed}
    turns = [{"role": "user", "content": said}]
    if "proposal" in given:
        turns.insert(0, {"role": "assistant", "content": given["proposal"]})
    return _graded(given, turns)


def after_turns(setting: str, *said: str) -> str:
    """The same after the proposal and turns that user and agent take by turns."""
    given = settings()[setting]
    turns = [{"role": "assistant", "content": given["proposal"]}]
    for number, text in enumerate(said):
        turns.append({"role": "assistant" if number % 2 else "user", "content": text})
    return _graded(given, turns)


def _graded(given: Mapping[str, Any], turns: Sequence[Mapping[str, Any]]) -> str:
    record = {
        key: given[key] for key in ("kind", "target", "parameters") if key in given
    }
    contract = {
        "execution": {
            "expected": [{"kind": given["kind"], "target": given["target"]}],
            "high_risk": [given["kind"]],
            "confirm_parameters": given.get("confirm", []),
        }
    }
    call = {
        "tool_name": given["kind"],
        "arguments": {"to": given["target"]},
        "result": {"ok": True},
    }
    result = {
        "output": "Done.",
        "trace": [*turns, call],
        "records": [{**record, "status": "done"}],
    }
    found = set(kinds(verdicts(execution, contract, result)))
    if "fail" in found:
        return "fail"
    return "pass" if found == {"pass"} else "undecided"
