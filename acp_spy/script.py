"""
What scripts are given: `acp-spy --script FILE.py -- COMMAND`, see docs/scripts.md.

For the annotations of a script's functions: `def request(event: acp_spy.script.Event) -> None`.
"""

from acp_spy.middleware.made_messages import Injected
from acp_spy.middleware.scripts.event import Conversation, Event, LogLine

__all__ = ["Conversation", "Event", "Injected", "LogLine"]
