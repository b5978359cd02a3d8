"""Rules about terminals that the client runs for the agent."""
