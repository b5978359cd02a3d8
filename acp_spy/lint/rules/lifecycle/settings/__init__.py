"""Rules about modes, config options and slash commands."""
