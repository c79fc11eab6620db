"""Simulated sets of tasks and runs, for the benchmarks of `benchmarks/statistics/`."""
