"""Judges against people and against each other: on a terminal and as JSON."""
