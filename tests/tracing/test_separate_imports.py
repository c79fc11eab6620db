"""Imports of parts of traces, by several commands into one ledger, in any order, repeated: one result."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .imported import import_files, importing, rows_of

FIXTURES: Final = Path(__file__).parent / "exports" / "fixtures"


def _span(trace: int, number: int, **more: Any) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.input_tokens": 100 + number,
        "gen_ai.usage.output_tokens": 7,
        **more,
    }
    second = 1_770_000_000 + number
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{trace * 100 + number:016x}",
        "parentSpanId": f"{trace * 100 + 1:016x}" if number > 1 else "",
        "name": "chat",
        "startTimeUnixNano": str(second * 10**9),
        "endTimeUnixNano": str((second + 1) * 10**9),
        "attributes": [
            {"key": key, "value": _value(value)} for key, value in attributes.items()
        ],
    }


def _value(value: object) -> dict[str, str]:
    return {"intValue" if isinstance(value, int) else "stringValue": str(value)}


def _otlp(spans: Sequence[Any]) -> str:
    scope = {"scope": {"name": "s"}, "spans": list(spans)}
    resource = {"attributes": [{"key": "host", "value": {"stringValue": "h"}}]}
    return json.dumps(
        {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}
    )


def _events(trace_id: str) -> list[str]:
    rows: list[str] = []
    for step in (1, 2, 3):
        for kind in ("state.entered", "state.completed"):
            event = {
                "trace_id": trace_id,
                "step_id": step,
                "event_type": kind,
                "timestamp": f"2026-04-28T10:00:0{step}Z",
                "payload": {"state_type": "THINK", "model_name": "gpt-4o"},
                "event_id": f"{trace_id}-{step}-{kind}",
            }
            rows.append(json.dumps(event))
    return rows


_SPANS: Final = [
    _otlp([span])
    for span in (
        _span(1, 1),
        _span(1, 2),
        _span(2, 1),
        # The same call, recorded by another instrumentation, and a span in two halves.
        _span(1, 3, **{"gen_ai.response.id": "r"}),
        _span(2, 2, **{"gen_ai.agent.name": "a"}),
        _span(2, 2, **{"gen_ai.tool.name": "b"}),
    )
]  # fmt: skip
_PARTS: Final = [*_SPANS, "\n".join(_events("e")[:3]), "\n".join(_events("e")[2:])]


@cache
def _imported_at_once() -> dict[str, list[Any]]:
    with TemporaryDirectory() as name:
        files: list[Path] = []
        for number, text in enumerate(_PARTS):
            files.append(Path(name) / f"{number}.json")
            files[-1].write_text(text, encoding="utf-8")
        import_files(Path(name) / "l.db", files)
        return rows_of(Path(name) / "l.db")


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_imports_in_any_order_in_parts_and_repeated_make_one_ledger(
    data: st.DataObject,
) -> None:
    numbers = st.lists(st.sampled_from(range(len(_PARTS))), min_size=1)
    order = data.draw(st.permutations(range(len(_PARTS))))
    repeats = data.draw(numbers)
    cuts = data.draw(st.lists(st.booleans(), min_size=64, max_size=64))
    with TemporaryDirectory() as name:
        folder = Path(name)
        files: list[Path] = []
        for number, text in enumerate(_PARTS):
            files.append(folder / f"{number}.json")
            files[-1].write_text(text, encoding="utf-8")
        commands: list[list[Path]] = [[]]
        for number, ends in zip([*order, *repeats], cuts, strict=False):
            commands[-1].append(files[number])
            if ends:
                commands.append([])
        for command in filter(None, commands):
            import_files(folder / "parts.db", command)

        assert rows_of(folder / "parts.db") == _imported_at_once()


def test_imports_at_the_same_time_lose_no_part(tmp_path: Path) -> None:
    files: list[Path] = []
    for number in range(1, 5):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(_otlp([_span(1, number)]), encoding="utf-8")

    async def all_at_once() -> None:
        imports = (importing(tmp_path / "l.db", [file]) for file in files)
        await asyncio.gather(*imports)

    asyncio.run(all_at_once())

    assert len(rows_of(tmp_path / "l.db")["trace_step"]) == 4


@pytest.mark.parametrize(
    "name", [path.name for path in sorted(FIXTURES.glob("*.parallel.json.gz"))]
)
def test_a_real_export_imported_again_leaves_every_row_as_it_is(
    name: str, tmp_path: Path
) -> None:
    ledger = tmp_path / "l.db"
    import_files(ledger, [FIXTURES / name])
    before = rows_of(ledger, moments=True)
    import_files(ledger, [FIXTURES / name])

    assert before["trace_step"]
    assert rows_of(ledger, moments=True) == before


def _cost(ledger: Path) -> Any:
    with sqlite3.connect(ledger) as base:
        (cost,) = base.execute("SELECT sum(total_cost) FROM trace_run").fetchone()
    base.close()
    return cost


def test_the_prices_of_the_first_import_stay_until_a_new_bill_is_asked_for(
    tmp_path: Path,
) -> None:
    ledger, dearer = tmp_path / "l.db", tmp_path / "prices.toml"
    dearer.write_text(
        'version = "2030-01-01"\n[models."gpt-4o"]\ninput = 1000\noutput = 1000\n',
        encoding="utf-8",
    )
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text(_otlp([_span(1, 1)]), encoding="utf-8")
    second.write_text(_otlp([_span(1, 2)]), encoding="utf-8")
    import_files(ledger, [first])
    at_first = _cost(ledger)
    import_files(ledger, [first], prices=dearer)
    again = _cost(ledger)
    import_files(ledger, [second], prices=dearer)
    with_second = _cost(ledger)
    import_files(ledger, [first], prices=dearer, reprice=True)

    assert again == at_first
    # Only the new call has the new price.
    assert with_second == pytest.approx(at_first + 109 / 1000)
    assert _cost(ledger) == pytest.approx((108 + 109) / 1000)


def test_of_a_run_in_one_document_the_one_with_more_in_it_is_kept(
    tmp_path: Path,
) -> None:
    ledger = tmp_path / "l.db"
    turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    files: list[Path] = []
    for count in (1, 2):
        files.append(tmp_path / f"{count}.json")
        run: dict[str, Any] = {
            "task_id": "1",
            "trial": 0,
            "id": "r",
            "reward_info": {},
            "messages": turns[:count],
        }
        files[-1].write_text(json.dumps({"simulations": [run]}), encoding="utf-8")
    for file in (*files, files[0]):
        import_files(ledger, [file])

    assert len(rows_of(ledger)["trace_step"]) == 2
