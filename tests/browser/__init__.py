"""Pages in a real browser. Every test waits for a state of the page, never for a time."""
