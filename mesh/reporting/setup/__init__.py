"""What is set up and what it would do: configuration, contracts, validators, prices, an estimate."""
