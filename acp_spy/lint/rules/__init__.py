"""The rules, one module each, in families that do not know each other."""

# The families, by the letters of their codes, with what each is about.
FAMILIES = {
    "FRM": "bytes, lines and streams",
    "RPC": "requests and responses",
    "SCH": "shapes and values",
    "LIF": "order, ids and timing",
    "CAP": "capabilities",
    "NET": "HTTP and WebSocket",
    "DIA": "incompatible protocols that are also called ACP",
    "BUD": "what a project expects: times, tools, stop reasons",
}
