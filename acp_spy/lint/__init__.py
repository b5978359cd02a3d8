"""Judgement: what is wrong in the traffic, who can mend it, and how."""
