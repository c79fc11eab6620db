"""What tokens cost: prices, usage of every provider, token estimates."""
