"""
An MCP server, so that a coding agent can ask about captures.

    captures        which captures it may read; a capture without its secrets
    tool            what a tool is: its name, when to use it, its arguments, and what it does
    reading_tools   the tools that read captures, one declaration each
    running_tools   those that start processes, which exist only if the user allows it
    answer          a JSON value in, a text of limited length out, and what was left out of it
    serve           the package `mcp`: tools are listed and called; only this module imports it

A tool calls the same code as the command of that name, and returns what it prints as JSON.
"""
