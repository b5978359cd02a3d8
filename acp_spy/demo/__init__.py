"""
A small client and a small agent, for `acp-spy demo`: two programs of their own.

They are run as real processes and import nothing but the standard library, as if they were
somebody else's. The agent makes three classic mistakes on purpose.
"""
