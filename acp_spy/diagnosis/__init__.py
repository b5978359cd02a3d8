"""One answer to "why does it not work?": what went wrong first, who must act, and since when."""
