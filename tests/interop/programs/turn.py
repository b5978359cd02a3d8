"""What a turn looks like to a client: what is compared between two runs of one conversation."""

WORK, COUNT = "Please mend notes.txt", "Now count slowly"
ENOUGH = "three"  # a turn that has come so far is cancelled


class Turn:
    """Fed with what the agent says and asks; `output` is what it comes to."""

    def __init__(self):
        self.said = ""
        self.calls = {}
        self.asked = []
        self.files = []
        self.stop = None

    def hear(self, update):
        kind = update["sessionUpdate"]
        if kind == "agent_message_chunk":
            self.said += update["content"].get("text", "")
        elif kind in ("tool_call", "tool_call_update"):
            call = self.calls.setdefault(update["toolCallId"], {})
            call |= {key: update[key] for key in ("title", "kind", "status") if update.get(key)}

    @property
    def is_enough(self):
        return ENOUGH in self.said

    def output(self):
        """Return all but what differs from run to run: ids, pieces, and what follows a cancel."""
        before, enough, _ = self.said.partition(ENOUGH)
        return {
            "stop": self.stop,
            "said": before + enough,
            "calls": list(self.calls.values()),
            "asked": self.asked,
            "files": self.files,
        }
