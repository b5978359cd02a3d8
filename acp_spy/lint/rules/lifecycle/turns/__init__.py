"""Rules about turns: prompts, what streams in between, how they end."""
