"""Conversations of agents out of the files that frameworks and harnesses write."""
