"""The parts of an agent result."""
