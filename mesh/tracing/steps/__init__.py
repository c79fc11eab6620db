"""Typed steps: from the fields of one step, or from the events of a run."""
