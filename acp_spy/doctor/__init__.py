"""
Check that an agent works: a short conversation through the real proxy, and what it showed.

`probe` holds the conversation, `observation` reads its capture, `health_checks` judges what was
seen, `diagnosis` shows that to people and programs; `examination` does all of it.
"""
