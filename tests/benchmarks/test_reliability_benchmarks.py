"""Short form of the benchmark of slow texts: shapes that once took seconds at 10 KB."""

from __future__ import annotations

from .test_benchmarks import line_of


def test_runs_and_long_words_are_read_in_little_time() -> None:
    line = line_of(
        "reliability/slow_texts.py",
        *("--places", "final_answer", "claims", "arguments and results"),
        *("--shapes", "mixed blanks", "letter", "digit"),
        *("--sizes", "10000", "--bar-s", "2", "--limit", "10"),
    )
    assert line["cases"] == 9
    assert line["findings"] == []
