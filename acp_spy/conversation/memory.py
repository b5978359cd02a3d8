"""A memory that forgets its oldest when it is full: nothing may grow with the conversation."""

from typing import Any


def remember(memory: dict[Any, Any], key: Any, value: Any = True, most: int = 1024) -> None:
    """Put into `memory`, which holds at most `most`."""
    if len(memory) >= most and key not in memory:
        del memory[next(iter(memory))]
    memory[key] = value
