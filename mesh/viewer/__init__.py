"""`judgemesh view`: a live viewer of a ledger in the browser. `app` puts it together; `security` stands before it."""
