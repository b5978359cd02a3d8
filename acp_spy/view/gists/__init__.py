"""What a frame says, in a few words for a person: one small function for each kind."""

from acp_spy.view.gists.choose import gist_of, spoken

__all__ = ["gist_of", "spoken"]
