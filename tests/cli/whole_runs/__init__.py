"""Tests of the command that take seconds each: servers, kills, terminals and budgets. `make e2e` runs them."""
