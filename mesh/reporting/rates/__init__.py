"""Rates, differences and scores of runs: on a terminal and as JSON."""
