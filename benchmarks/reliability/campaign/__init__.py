"""The fault campaign of `faults.py`: what is graded, the cases, a process for each, and what must hold after each."""
