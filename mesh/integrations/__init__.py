"""judgemesh inside other harnesses: one small module for each, over the session that they share."""
