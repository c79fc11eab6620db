"""A cost that is known only as an upper bound is said to be one, by every command that prints it."""

from __future__ import annotations

import json
from typing import Any

import pytest


def _spans(*, streaming: bool | None) -> dict[str, Any]:
    """The export of OpenLLMetry's Anthropic instrumentation, where nothing else recorded the call."""
    counts = {"input_tokens": 1000, "output_tokens": 72, "cache_read.input_tokens": 0}
    attributes: list[dict[str, Any]] = [
        {"key": f"gen_ai.usage.{name}", "value": {"intValue": str(count)}}
        for name, count in counts.items()
    ]
    names = {"operation.name": "chat", "request.model": "claude-sonnet-4-5"}
    for name, text in names.items():
        attributes.append({"key": f"gen_ai.{name}", "value": {"stringValue": text}})
    if streaming is not None:
        said = {"key": "gen_ai.is_streaming", "value": {"boolValue": streaming}}
        attributes.append(said)
    span = {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "00f067aa0ba902b7",
        "name": "anthropic.chat",
        "startTimeUnixNano": "1772784300000000000",
        "endTimeUnixNano": "1772784301000000000",
        "attributes": attributes,
    }
    scope = {"name": "opentelemetry.instrumentation.anthropic"}
    return {"resourceSpans": [{"scopeSpans": [{"scope": scope, "spans": [span]}]}]}


# `messages.stream()` does not say that it is a stream.
@pytest.mark.parametrize(("streaming", "is_bound"), [(True, 1), (None, 1), (False, 0)])
def test_tokens_counted_twice_make_the_cost_an_upper_bound(
    cli: Any, streaming: bool | None, is_bound: int
) -> None:
    file = cli.write("spans.json", _spans(streaming=streaming))
    assert cli("trace", "import", file, "--ledger", "l.db").returncode == 0

    def printed(*arguments: str) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(cli("trace", *arguments, "--json").stdout)
        return data

    for source in ([file], ["--ledger", "l.db"]):
        bill = printed("bill", *source)
        rows = [bill, *bill["by_model"], *bill["by_state"], *bill["by_run"]]
        rows += printed("list", *source)["rows"]
        rows += printed("list", *source, "--group-by", "model")["rows"]
        rows.append(printed("show", "5b8ef", *source))
        assert [row["cost_is_at_most"] for row in rows] == [bool(is_bound)] * len(rows)
        assert bill["metrics"]["output_at_most_calls"] == is_bound
        assert ("can be too many" in bill["conclusion"]) is bool(is_bound)

        for arguments in (["bill"], ["list"], ["list", "--group-by", "day"]):
            text = cli("trace", *arguments, *source).stdout
            assert "0.00408 USD" in text
            assert ("≤ 0.00408 USD" in text) is bool(is_bound)
        assert ("≤" in cli("trace", "show", "5b8ef", *source).stdout) is bool(is_bound)
