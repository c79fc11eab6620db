"""Code that is not trusted to end or to behave: plug-ins, documents, SQL.

`faults` turns what a plug-in raises into an ordinary exception, `plugin_loop` runs asynchronous plug-ins away from the
event loop of the run, `workers` runs slow work in a process that is killed at its deadline, and `exits` keeps a plug-in
from ending the process.
"""
