"""What the templates of a run need beside its page: data of the charts, and addresses of lists of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judgemesh.mesh.analysis.results.run_page import RunPage
from judgemesh.mesh.analysis.versions.flips import Flip
from judgemesh.mesh.metrics.asr import AgentSuccess
from judgemesh.mesh.metrics.comparison import ComparisonVerdict
from judgemesh.mesh.reporting.html.colours import colour

_MAX_BARS: Final = 12
_MAX_FLIPS: Final = 20
_CHANGE_COLOURS: Final[Mapping[ComparisonVerdict, str]] = {
    ComparisonVerdict.IMPROVED: "pass",
    ComparisonVerdict.REGRESSED: "fail",
    ComparisonVerdict.NO_EVIDENCE: "undecided",
}


@dataclass(frozen=True)
class RunView:
    """A run as its templates show it.

    list: what stands before a filter in the address of a list of results. result: the same for the id of one result.
    """

    run: RunPage
    list: str = "#results?"
    result: str = "#result/"
    kinds: Sequence[str] = ("pass", "fail", "abstain", "error", "skipped")

    def gates(self) -> dict[str, Any]:
        """Data of the bar of gates."""
        gates = self.run.gates
        counts = {
            "pass": gates.passed,
            "fail": gates.failed,
            "undecided": gates.undecided,
        }
        return {
            "rows": [self._part("gate", name, n) for name, n in counts.items() if n]
        }

    def classes(self) -> dict[str, Any]:
        """Data of the bar of outcome classes."""
        counts = self.run.classes.items()
        return {"rows": [self._part("class", name.value, n) for name, n in counts]}

    def _part(self, field: str, name: str, count: int) -> dict[str, Any]:
        address = f"{self.list}{field}={name.replace('+', '%2B')}"
        return {"name": name, "value": count, "group": colour(name), "href": address}

    def codes(self) -> dict[str, Any]:
        """Data of the chart of failure codes: the most frequent, with the share of results that have each."""
        results = self.run.gates.results or 1
        return {
            "rows": [
                {
                    "name": count.label.code,
                    "value": count.results,
                    "text": f"{count.results:,} ({count.results / results:.0%})",
                    "group": count.label.attribution,
                    "href": f"{self.list}code={count.label.code}",
                }
                for count in self.run.codes[:_MAX_BARS]
            ]
        }

    def success(self) -> dict[str, Any]:
        """Data of the interval of the Agent Success Rate."""
        success = self.run.success
        rows = [] if success is None else [_interval("", success)]
        return {"rows": rows, "domain": [0, 1]}

    def versions(self) -> dict[str, Any]:
        """Data of the intervals of the baseline and of this run."""
        baseline = self.run.baseline
        if baseline is None:
            return {"rows": []}
        rows = [
            _interval("baseline", baseline.a.success),
            _interval("this run", baseline.b.success),
        ]
        return {"rows": rows}

    def change_colour(self) -> str:
        """The colour of what a comparison says."""
        baseline = self.run.baseline
        return "other" if baseline is None else _CHANGE_COLOURS[baseline.success.change]

    def flips(self) -> Sequence[Flip]:
        """The first results that are graded otherwise, the worse ones first."""
        baseline = self.run.baseline
        if baseline is None:
            return ()
        order = ["worse", "undecided", "other", "better"]
        ordered = sorted(baseline.flips, key=lambda flip: order.index(flip.kind.value))
        return ordered[:_MAX_FLIPS]


def _interval(name: str, success: AgentSuccess) -> dict[str, Any]:
    return {
        "name": name,
        "low": round(success.ci.low, 4),
        "value": round(success.asr, 4),
        "high": round(success.ci.high, 4),
    }
