"""Spans of any instrumentation: what they say, and the steps they become."""
