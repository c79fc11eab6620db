"""The sections of an eval contract."""
