"""What a project expects of its own conversations."""
