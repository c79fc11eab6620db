"""The types that all packages share: results, contracts, verdicts, needs, reports. Pure: no I/O, no clock."""
