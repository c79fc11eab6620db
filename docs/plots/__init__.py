"""The plots of the documentation."""
