"""
The clients that people use, and how acp-spy is put in front of an agent in each.

One module for each editor: where its settings are, what an agent looks like there, and how to see
the result. `jsonc` and `edit` change settings that are JSON with comments, `settings` does it to
the file.
"""
