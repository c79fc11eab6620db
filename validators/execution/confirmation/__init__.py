"""Whether the user confirmed what was executed."""
