"""The bill of an agent's run: on a terminal, as a page, as data."""
