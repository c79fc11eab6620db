"""Worker processes: several processes grade, and one driver owns the ledger, the judge and the sources.

A worker connects to the driver (`channel`), is sent jobs, and returns outcomes with the rows of the ledger (`worker`).
What a validator asks of a judge or a source goes to the driver (`ports`), which alone makes calls: limits and budget
hold for all workers together, and every call is on record although the worker that asked is killed. `pool` is the
driver's side. `local` starts workers on this machine (forked from `parent`), `cluster` on a Dask cluster.
"""
