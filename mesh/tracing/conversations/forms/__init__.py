"""Where each form keeps its messages: sessions, run objects, exchanges, reports, and plain lists."""
