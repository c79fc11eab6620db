"""The parts of `mutation.py`: mutants of a module, putting one in the place of the original, and the loop over both."""
