"""Recording the event stream of an agent run from inside its process."""
