"""The proxy: a conversation between our standard streams and an agent, followed to its end."""
