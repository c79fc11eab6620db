"""What people look at: a row a result, the page of a run, the page of a result. Pure; `loading` alone reads a ledger.

Terminal, single-file report and viewer show these values and compute none of their own.
"""
