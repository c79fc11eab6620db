"""What is masked before it is kept or shown; a function that fails withholds the text, and the run says so."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import report_to_json
from judgemesh.mesh import Mesh
from judgemesh.mesh.runs.redaction import WITHHELD, TextRedactor, redactor_of
from judgemesh.mesh.testing import ScriptedJudge

pytestmark = pytest.mark.anyio
PHONE = "555-123-4567"
PATTERN = r"\d{3}-\d{3}-\d{4}"
CONTRACT: dict[str, Any] = {
    "task_id": "t",
    "answer": {"contains": "sealed"},
    "criteria": [{"id": "c", "question": f"Is {PHONE} named?", "gate": True}],
    "evidence": {
        "required": True,
        "sources": [{"type": "jsonl", "path": "catalogue.jsonl"}],
    },
}
RESULT: dict[str, Any] = {
    "result_id": "r",
    "task_id": "t",
    "output": {
        "final_answer": f"Probe of {PHONE} is fine.",
        "outputs": {PHONE: {"deep": [PHONE]}},
        "citations": [{"id": "y", "quote": f"owner {PHONE}"}, {"id": f"z {PHONE}"}],
        "claims": [f"{PHONE} is a number."],
    },
    "actions": [{"kind": "call", "parameters": {"to": PHONE}}],
}


def _break(_: str) -> str:
    raise RuntimeError(PHONE)


def _exit(_: str) -> str:
    raise SystemExit(0)


def _cancel(_: str) -> str:
    raise asyncio.CancelledError


def _rubbish(_: str) -> Any:
    return 3


def _nothing(_: str) -> Any:
    return None


def _bytes(text: str) -> Any:
    return text.encode()


class _Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        return PHONE


def _disguised(_: str) -> str:
    return _Text("x")


BROKEN = (_break, _exit, _cancel, _rubbish, _nothing, _bytes, _disguised)


async def _graded(folder: Path, redact: Any) -> tuple[str, bytes, tuple[str, ...]]:
    """Everything that comes out of one grading: the report, the ledger's bytes unpacked, the warnings."""
    (folder / "catalogue.jsonl").write_text(
        json.dumps({"id": "y", "title": "Probes", "text": f"owner {PHONE}"}) + "\n"
    )
    (folder / "c.json").write_text(json.dumps(CONTRACT))
    judge = ScriptedJudge({"c": "yes"})
    options = {"contracts": folder / "c.json", "ledger": folder / "l.db"}
    async with Mesh.from_config(judge=judge, redact=redact, **options) as mesh:
        report = await mesh.grade(RESULT)
        warnings = mesh.warnings
    assert report.result_id == "r"
    return json.dumps(report_to_json(report)), _unpacked(folder / "l.db"), warnings


def _unpacked(path: Path) -> bytes:
    """The bytes of a ledger, with those of its packed columns."""
    import sqlite3

    data = path.read_bytes()
    with sqlite3.connect(path) as connection:
        for (body,) in connection.execute("SELECT body FROM eval_result_content"):
            data += zlib.decompress(body, wbits=47)
    connection.close()
    return data


async def test_without_redaction_the_text_is_kept(tmp_path: Path) -> None:
    report, ledger, warnings = await _graded(tmp_path, ())
    assert PHONE in report
    assert PHONE.encode() in ledger
    assert not any("redaction" in line for line in warnings)


async def test_a_pattern_is_masked_wherever_it_stands(tmp_path: Path) -> None:
    report, ledger, warnings = await _graded(tmp_path, PATTERN)
    assert PHONE not in report
    assert "***" in report
    assert PHONE.encode() not in ledger
    assert not any("redaction" in line for line in warnings)


@pytest.mark.parametrize("hook", BROKEN, ids=lambda hook: hook.__name__)
async def test_a_function_that_fails_withholds_the_text_and_is_reported(
    tmp_path: Path, hook: Callable[[str], str]
) -> None:
    report, ledger, warnings = await _graded(tmp_path, [hook])
    assert PHONE not in report
    assert WITHHELD in report
    assert PHONE.encode() not in ledger
    (warning,) = [line for line in warnings if line.startswith("redaction: ")]
    assert hook.__name__ in warning
    assert PHONE not in warning


@pytest.mark.parametrize("setting", ["(", "x*", "", "hook:nobody"])
def test_a_setting_that_cannot_be_used_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError) as caught:
        redactor_of([setting])
    assert str(caught.value).count("\n") == 0


def test_ctrl_c_is_no_failure_of_a_function() -> None:
    def stop(_: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TextRedactor([("stop", stop)]).text("a")


_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_DATA)
def test_data_that_holds_nothing_stays_as_it_is(data: Any) -> None:
    redactor = redactor_of(["no such text in it at all"])
    assert redactor is not None
    assert redactor.data(data) == data


@given(_DATA)
def test_no_text_and_no_figure_passes_a_function_that_hides_all(data: Any) -> None:
    redactor = TextRedactor([("hide", lambda _: "")])
    assert not any(char.isalnum() for char in _texts(redactor.data(data)))


def _texts(value: Any) -> str:
    """Every key, text and number of the data, one after the other."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return "".join(f"{key}{_texts(item)}" for key, item in items)
    if isinstance(value, list):
        return "".join(map(_texts, cast("list[Any]", value)))
    return "" if value is None or isinstance(value, bool) else str(value)


def test_numbers_and_deep_values_are_looked_at() -> None:
    redactor = redactor_of(["5551234567"])
    assert redactor is not None
    assert redactor.data({"phone": 5551234567, "n": 3}) == {"phone": "***", "n": 3}
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    assert WITHHELD in json.dumps(redactor.data(deep))
