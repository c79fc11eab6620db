"""What a ledger sends to its database beside plain queries: rows in few statements, and statements about many rows."""
