"""The ledger's tables, their column types, and the migrations from older versions of the schema."""
