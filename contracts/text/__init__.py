"""Texts compared word for word, and texts that are shown. Pure."""
