"""A run, its results and one result in full: on a terminal and as JSON."""
