"""What each plot shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from plots.data import costs, reliability, versions, vote_curves
from plots.performance import batch_growth, judge_call_growth, peer_costs


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: its caption, what it shows in words for who cannot see it, and what draws it."""

    title: str
    alt: str
    figure: Callable[[], Figure]


def reliability_diagram() -> Figure:
    """Claimed against observed, with Wilson intervals, before and after calibration."""
    found = reliability()
    figure, axes = plt.subplots(figsize=(5.6, 4.6))
    axes.plot(
        [0, 1], [0, 1], linestyle=":", color="#808080", label="claimed = observed"
    )
    for name, bins, marker in (
        ("share of votes", found.before, "o"),
        ("calibrated on labels", found.after, "s"),
    ):
        axes.errorbar(
            [row.claimed for row in bins],
            [row.observed for row in bins],
            yerr=(
                [row.observed - row.low for row in bins],
                [row.high - row.observed for row in bins],
            ),
            marker=marker,
            linestyle="none",
            capsize=3,
            label=name,
        )
    axes.set(
        xlabel="claimed probability of yes",
        ylabel="observed share of yes",
        xlim=(-0.03, 1.03),
        ylim=(0, 1),
    )
    axes.legend(loc="upper left")
    return figure


def cost_distribution() -> Figure:
    """Every run's cost by family on a logarithmic axis, with its median and 90th percentile."""
    found = costs()
    figure, axes = plt.subplots(figsize=(7.2, 3.6))
    for row, (known, spread) in enumerate(found.values()):
        axes.plot(
            known,
            [row] * len(known),
            "o",
            color="C2",
            alpha=0.35,
            markersize=5,
            markeredgewidth=0,
        )
        axes.plot(
            spread.p50,
            row,
            "|",
            color="C0",
            markersize=18,
            markeredgewidth=2.5,
            label="median" if not row else None,
        )
        axes.plot(
            spread.p90,
            row,
            "|",
            color="C1",
            markersize=18,
            markeredgewidth=2.5,
            label="90th percentile" if not row else None,
        )
    axes.set(
        xscale="log",
        xlabel="cost of a run, USD",
        yticks=range(len(found)),
        yticklabels=list(found),
    )
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.invert_yaxis()
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    return figure


def version_intervals() -> Figure:
    """The success rate of each version as a point with its 95 % interval."""
    found = versions()
    figure, axes = plt.subplots(figsize=(7.2, 4.6))
    for row, success in enumerate(found.values()):
        axes.plot(
            [success.ci.low, success.ci.high], [row, row], color="C2", linewidth=2
        )
        axes.plot(success.asr, row, "o", color="C0")
    axes.set(
        xlabel="success rate (ASR), 95 % interval",
        xlim=(0, 1),
        yticks=range(len(found)),
        yticklabels=list(found),
    )
    axes.invert_yaxis()
    return figure


def voting_curves() -> Figure:
    """Error and number of votes of each rule by the accuracy of one vote."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6))
    for (name, points), style in zip(vote_curves().items(), ("-", "--"), strict=True):
        accuracy = [at for at, _ in points]
        left.plot(accuracy, [point.error for _, point in points], style, label=name)
        right.plot(accuracy, [point.expected_votes for _, point in points], style)
    left.plot([0.5, 1], [0.5, 0], linestyle=":", color="#808080", label="one vote")
    left.set(xlabel="accuracy of one vote", ylabel="wrong verdicts", ylim=(0, 0.5))
    right.set(xlabel="accuracy of one vote", ylabel="votes, on average", ylim=(0, 8))
    figure.legend(loc="lower center", bbox_to_anchor=(0.5, 0.96), ncols=1)
    figure.tight_layout()
    return figure


PLOTS: Final[Mapping[str, Plot]] = {
    "reliability": Plot(
        "Reliability of a simulated judge before and after calibration (600 held-out labels, 95 % intervals)",
        "Before calibration the points lie above the diagonal below one half and under it above one half: the judge is"
        " surer than it is right. After calibration the intervals of the points meet the diagonal.",
        reliability_diagram,
    ),
    "costs": Plot(
        "Cost of the 200 runs of the reference set by family",
        "One row of dots for each of six families on a logarithmic axis from cents to dollars, with marks at the median"
        " and the 90th percentile. Research runs cost most, triage runs least.",
        cost_distribution,
    ),
    "versions": Plot(
        "Success rate of each agent version in the reference set, from the canonical classes",
        "Twelve points with intervals, two versions of an agent in each of six families. The intervals of the two"
        " versions of a family overlap, so the set shows no difference between them.",
        version_intervals,
    ),
    "votes": Plot(
        "Wrong verdicts and number of votes by the accuracy of a single vote (exact)",
        "Left: the share of wrong verdicts falls from one half at an accuracy of .5 to nearly 0 at .95, faster for the"
        " rule of hard gates. Right: the number of votes falls from about 3.4 and 6.4 to 2 and 3.",
        voting_curves,
    ),
    "judge-call-growth": Plot(
        "CPU time of a judge call by the number of calls at once (5 criteria), and of criteria (64 calls at once)",
        "Two panels, each with a line for judgemesh above one for bare aiohttp: CPU milliseconds by calls at once,"
        " and by criteria of a result.",
        judge_call_growth,
    ),
    "batch-growth": Plot(
        "CPU time of a deterministic check by the size of the run, and speed-up by worker processes",
        "Left: CPU microseconds of a check by the results of a run, for judgemesh with a ledger, without one, and"
        " a bare loop. Right: the CPU time that all processes take with two and four workers, and the speed-up.",
        batch_growth,
    ),
    "peer-costs": Plot(
        "CPU time of a judge call with other libraries, 64 calls at once, in times of bare aiohttp",
        "Two bars for each library with its version: its figure, and that of judgemesh in the same run.",
        peer_costs,
    ),
}
"""By name of the file."""
