"""Plug-ins, files and sources that misbehave, for `misbehaviour.py`."""
