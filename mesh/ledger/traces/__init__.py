"""The agent's own traces in the ledger."""
