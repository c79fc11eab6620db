"""Traces and their import: on a terminal and as JSON."""
