"""The parts of `fuzz.py`: what is fuzzed, the seeds, the changes, and the loop."""
