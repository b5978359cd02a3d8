"""Methods and codes that several packages ask for."""

# The methods that open a session, and those by which a user logs in.
SETUPS = ("session/new", "session/load", "session/resume", "session/fork")
LOGINS = ("authenticate", "auth/login")
AUTH_REQUIRED = -32000
