"""
Is this agent well? A short conversation through the real proxy, and what it showed.

`probe` holds the conversation, `observation` reads the capture of it, `checks` says what to think
of it, `report` shows that to people and programs.
"""
