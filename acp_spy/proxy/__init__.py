"""
The proxy: a conversation between our standard streams and an agent, followed to its end.

`conversation.py` is what passes; `run.py` and `follow.py` have it carried, and checked meanwhile.
"""
