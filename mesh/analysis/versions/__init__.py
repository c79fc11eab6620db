"""Versions, weeks or teams compared: what is paired with what, the change of the rate, and the results that flipped."""
