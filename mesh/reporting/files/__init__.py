"""Output files (`-o`), one module a format."""
