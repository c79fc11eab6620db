"""The bill of priced traces: cost, totals, metrics, findings and suggestions."""
