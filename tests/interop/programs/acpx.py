"""
The headless client acpx (npm), one turn of it, and what it noticed as JSON.

usage: acpx.py work|count CWD COMMAND [ARG]...

It prints what passes between it and the agent. A turn that counts is interrupted at "three", as one
would do it with Ctrl-C.
"""

import json
import os
import shlex
import signal
import subprocess
import sys

from turn import COUNT, WORK, Turn

ACPX = f"{os.environ['INTEROP_NODE']}/node_modules/.bin/acpx"
OPTIONS = ["--approve-all", "--format", "json", "--timeout", "300"]


def take(prompt, cwd, *command):
    agent = ["--agent", shlex.join(command), "--cwd", cwd]
    acpx = subprocess.Popen(
        [ACPX, *agent, *OPTIONS, "exec", prompt], cwd=cwd, stdout=subprocess.PIPE, text=True
    )
    turn, name = Turn(), None
    for line in acpx.stdout:
        message = json.loads(line)
        params, result = message.get("params") or {}, message.get("result") or {}
        match message.get("method"):
            case "session/update":
                turn.hear(params["update"])
                if turn.is_enough and prompt == COUNT:
                    acpx.send_signal(signal.SIGINT)
                    prompt = "interrupted"
            case "session/request_permission":
                kinds = [option["kind"] for option in params["options"]]
                turn.asked.append([params["toolCall"].get("title"), kinds])
            case "fs/read_text_file" | "fs/write_text_file" as method:
                turn.files.append([method[3:].partition("_")[0], params["path"]])
        turn.stop = result.get("stopReason", turn.stop)
        if info := result.get("agentInfo"):
            name = f"{info['name']} {info['version']}"
    return {"agent": name, "turns": [turn.output()], "status": acpx.wait()}


if __name__ == "__main__":
    which, *rest = sys.argv[1:]
    print(json.dumps(take({"work": WORK, "count": COUNT}[which], *rest)))
