"""Short forms of the benchmarks that speak of repeated runs, weeks and sets without common tasks."""

from __future__ import annotations

from .test_statistics_benchmarks import quick


def test_clusters() -> None:
    found = quick("clusters.py")
    assert min(row["as_results"] for row in found["rates"]) < 0.7
    assert max(row["as_results"] for row in found["classes"]) > 0.3


def test_weekly() -> None:
    found = quick("weekly.py")
    assert max(row["flagged"] for row in found["weeks"]) <= 0.1


def test_unpaired() -> None:
    found = quick("unpaired.py")
    assert found["undecided"][0]["straddled"] > 0
    assert found["undecided"][0]["verdicts_where_straddled"] == 0
