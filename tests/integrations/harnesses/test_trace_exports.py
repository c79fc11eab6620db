"""Traces as MLflow, Langfuse and Phoenix write them: the bill is that of the provider, or what was recorded."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

MLFLOW = """
import pathlib, sys
import mlflow, openai
address, output = sys.argv[1:]
mlflow.set_tracking_uri(f"sqlite:///{pathlib.Path(output).with_suffix('.db')}")
mlflow.set_experiment("weather")
mlflow.openai.autolog()
client = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)

@mlflow.trace(span_type="AGENT")
def agent(stream):
    more = {"stream_options": {"include_usage": True}} if stream else {}
    for turn in ("What is the weather?", "And tomorrow?"):
        answer = client.chat.completions.create(
            model="gpt-4.1-mini", messages=[{"role": "user", "content": turn}], stream=stream, **more)
        if stream:
            list(answer)

agent(False)
agent(True)
mlflow.flush_trace_async_logging()
with open(output, "w") as file:
    for trace in mlflow.search_traces(return_type="list"):
        file.write(trace.to_json() + "\\n")
"""

LANGFUSE = """
import datetime as dt, json, sys
from langfuse.api.commons.types.observation_v2 import ObservationV2
from langfuse.api.observations.types.observations_v2meta import ObservationsV2Meta
from langfuse.api.observations.types.observations_v2response import ObservationsV2Response
start = dt.datetime(2026, 3, 6, 8, 5, tzinfo=dt.timezone.utc)

def observation(number, kind, **more):
    begun = start + dt.timedelta(seconds=number)
    return ObservationV2(
        id=f"o{number}", trace_id="t1", type=kind, name=f"step {number}", project_id="p", session_id="s9",
        start_time=begun, end_time=begun + dt.timedelta(seconds=1),
        parent_observation_id="o1" if number > 1 else None, **more)

usage = {"input": 200, "input_cached_tokens": 800, "output": 40, "total": 1040}
rows = [
    observation(1, "AGENT"),
    observation(2, "GENERATION", model="gpt-4.1-mini", usage_details=usage, total_cost=0.0014,
                cost_details={"input": 0.001, "output": 0.0004, "total": 0.0014}),
    observation(3, "TOOL", input={"city": "Bern"}, output="sunny"),
    observation(4, "GENERATION", model="gpt-4.1-mini", usage_details={"input": 60, "output": 4}, total_cost=0.0002),
]
page = ObservationsV2Response(data=rows, meta=ObservationsV2Meta())
open(sys.argv[2], "w").write(page.json())
"""

PHOENIX = """
import json, sys
import pandas as pd
from openinference.instrumentation import TracerProvider, get_llm_attributes, get_tool_attributes
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from phoenix.client.helpers.spans import dataframe_to_spans

memory = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(memory))
tracer = provider.get_tracer("agent")
with tracer.start_as_current_span("agent", openinference_span_kind="agent"):
    for prompt in (100, 240):
        with tracer.start_as_current_span("chat", openinference_span_kind="llm") as span:
            counts = {"prompt": prompt, "completion": 7, "total": prompt + 7, "prompt_details": {"cache_read": 60}}
            span.set_attributes(get_llm_attributes(model_name="gpt-4.1-mini", token_count=counts))
    with tracer.start_as_current_span("lookup", openinference_span_kind="tool") as span:
        span.set_attributes(get_tool_attributes(name="lookup", parameters={"city": "string"}))

rows = []
for span in memory.get_finished_spans():
    row = {
        "name": span.name,
        "context.trace_id": f"{span.context.trace_id:032x}",
        "context.span_id": f"{span.context.span_id:016x}",
        "parent_id": f"{span.parent.span_id:016x}" if span.parent else None,
        "span_kind": span.attributes["openinference.span.kind"],
        "start_time": pd.Timestamp(span.start_time, tz="UTC"),
        "end_time": pd.Timestamp(span.end_time, tz="UTC"),
        "status_code": span.status.status_code.name,
        "status_message": "",
    }
    rows.append(row | {f"attributes.{name}": value for name, value in span.attributes.items()})
frame = pd.DataFrame(rows)
if sys.argv[1] == "table":
    frame.to_json(sys.argv[2], orient="records", lines=True, date_format="iso")
else:
    page = {"data": dataframe_to_spans(frame), "next_cursor": None}
    open(sys.argv[2], "w").write(json.dumps(page, default=str))
"""


@pytest.fixture(scope="session")
def exports() -> ModuleType:
    """The benchmark of exports: its provider and its imports."""
    path = ROOT / "benchmarks/tracing/exports.py"
    spec = importlib.util.spec_from_file_location("exports", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["exports"] = module
    spec.loader.exec_module(module)
    return module


def _exported(script: str, *arguments: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=Path(arguments[-1]).parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr


def _bill(exports: Any, folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    """The bill of the files, imported twice."""
    prices = folder / "prices.toml"
    prices.write_text(exports.price_file())
    bill: dict[str, Any] = exports.counted(list(files), prices, folder)
    return bill


def test_mlflow_counts_what_the_provider_billed(exports: Any, tmp_path: Path) -> None:
    output = tmp_path / "traces.jsonl"
    with exports.provider() as address:
        exports.bill_of_provider(address)
        _exported(MLFLOW, address, str(output))
        truth = exports.bill_of_provider(address)
    bill = _bill(exports, tmp_path, [output])

    assert truth["calls"] == 4
    assert bill["total_tokens"] == truth["tokens"]
    assert bill["runs"] == 2
    assert {row["name"]: row["count"] for row in bill["by_model"]} == {
        "gpt-4.1-mini": 4
    }
    # MLflow states costs of its own, at list prices.
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    stated = [
        json.loads(row["info"]["trace_metadata"]["mlflow.trace.cost"]) for row in rows
    ]
    assert bill["total_cost"] == pytest.approx(
        sum(cost["total_cost"] for cost in stated)
    )
    assert not bill["cost_is_at_most"]


def test_observations_of_langfuse_keep_their_tokens_and_costs(
    exports: Any, tmp_path: Path
) -> None:
    output = tmp_path / "page.json"
    _exported(LANGFUSE, "", str(output))
    bill = _bill(exports, tmp_path, [output])

    assert (bill["trace_id"], bill["steps"]) == ("t1", 4)
    assert bill["total_tokens"] == 1040 + 64
    assert bill["total_cached_input_tokens"] == 800
    assert bill["total_cost"] == pytest.approx(0.0016)
    assert [row["name"] for row in bill["by_tool"]] == ["step 3"]


@pytest.mark.parametrize("form", ["table", "page"])
def test_spans_of_phoenix_keep_their_tokens(
    exports: Any, tmp_path: Path, form: str
) -> None:
    output = tmp_path / "spans.json"
    _exported(PHOENIX, form, str(output))
    bill = _bill(exports, tmp_path, [output])

    assert (bill["runs"], bill["steps"]) == (1, 4)
    assert bill["total_input_tokens"] == 340
    assert bill["total_cached_input_tokens"] == 120
    assert bill["total_output_tokens"] == 14
    assert [row["name"] for row in bill["by_tool"]] == ["lookup"]
    assert not bill["cost_is_at_most"]
