"""The plots of the page on performance, from the figures that `benchmarks/speed/performance.py` has measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

MEASURED: Final = Path(__file__).with_name("performance.json")

Point = Mapping[str, Any]


def measured() -> Mapping[str, Any]:
    """The figures."""
    data: Mapping[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return data


def judge_call_growth() -> Figure:
    """CPU time of a judge call by calls at once, and by criteria of a result."""
    data = measured()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True)
    for axes, points, key, label in (
        (left, data["concurrency"], "at_once", "calls at once"),
        (right, data["criteria"], "criteria", "criteria of a result"),
    ):
        _line(axes, points, key, "http_cpu_ms", "judgemesh with ledger", "o-")
        _line(axes, points, key, "bare_cpu_ms", "bare aiohttp", "s--")
        _by_twos(axes, points, key, label)
    left.set(ylabel="CPU ms a call")
    _with_room_for_legend(left)
    figure.tight_layout()
    return figure


def batch_growth() -> Figure:
    """CPU time of a deterministic check by results of a run, and speed-up by worker processes."""
    data = measured()
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4))
    points: Sequence[Point] = data["results"]
    _line(left, points, "results", "ledger_us", "judgemesh with ledger", "o-")
    _line(left, points, "results", "memory_us", "judgemesh without", "^-.")
    _line(left, points, "results", "bare_us", "bare loop", "s--")
    _by_twos(left, points, "results", "results of the run")
    left.set(ylabel="CPU µs a check")
    _with_room_for_legend(left)
    workers: Sequence[Point] = data["workers"]
    if not data["short"]:  # wall time of a short run is that of its start
        _line(right, workers, "workers", "speedup", "speed-up", "o-")
    _line(right, workers, "workers", "cpu_ratio", "CPU time, times one process", "s--")
    _by_twos(right, workers, "workers", f"workers, on {data['machine']['cores']} cores")
    _with_room_for_legend(right)
    figure.tight_layout()
    return figure


def peer_costs() -> Figure:
    """CPU time of a judge call with each library and with judgemesh in the same run, in times of bare aiohttp."""
    peers: Mapping[str, Point] = measured()["peers"]
    names = sorted(peers, key=lambda name: -float(peers[name]["x_bare"]))
    figure, axes = plt.subplots(figsize=(7.2, 0.9 + 0.6 * len(names)))
    theirs = [float(peers[name]["x_bare"]) for name in names]
    ours = [float(peers[name]["judgemesh_x_bare"]) for name in names]
    for label, colour, shift, costs in (
        ("the library", "#4a7fc1", 0.18, theirs),
        ("judgemesh in the same run, with ledger", "#1f8a70", -0.18, ours),
    ):
        rows = [row + shift for row in range(len(names))]
        bars = axes.barh(rows, costs, height=0.34, color=colour, label=label)
        axes.bar_label(bars, fmt="%.1f", padding=4)
    axes.set_yticks(
        range(len(names)), [f"{name} {peers[name]['version']}" for name in names]
    )
    axes.set(xlabel="CPU time of a judge call, times bare aiohttp")
    axes.margins(x=0.1)
    axes.legend(loc="upper right")  # the shortest bars are at the top
    figure.tight_layout()
    return figure


def _line(
    axes: Axes, points: Sequence[Point], key: str, value: str, label: str, style: str
) -> None:
    at = [point[key] for point in points]
    axes.plot(at, [point[value] for point in points], style, label=label)


def _with_room_for_legend(axes: Axes) -> None:
    """From zero, with the legend above the lines."""
    axes.set_ylim(0, 1.45 * axes.get_ylim()[1])
    axes.legend(loc="upper left")


def _by_twos(axes: Axes, points: Sequence[Point], key: str, label: str) -> None:
    """An axis on which every doubling is as wide, with a tick at each point."""
    axes.set_xscale("log", base=2)
    at = [point[key] for point in points]
    axes.set_xticks(at, [f"{one:,}" for one in at])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(label)
