"""Methods, codes and names of fields that several packages ask for."""

# The methods that open a session, and those by which a user logs in.
SETUPS = ("session/new", "session/load", "session/resume", "session/fork")
LOGINS = ("authenticate", "auth/login")
AUTH_REQUIRED = -32000

# The end of a field's name, without `_` and in lower case, says what its value names.
NAMED_BY_FIELDS = {
    "sessionid": "session",
    "threadid": "session",
    "toolcallid": "tool call",
    "terminalid": "terminal",
    "messageid": "message",
    "elicitationid": "elicitation",
    "connectionid": "connection",
    "serverid": "server",
    "acpid": "server",
    "requestid": "request",
}
