// A client on the TypeScript SDK; it does what client.py does, with the same words.
//
// usage: client.mjs CWD COMMAND [ARG]...
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { acp, stream } from "./sdk.mjs";

const WORK = "Please mend notes.txt";
const COUNT = "Now count slowly";
const ENOUGH = "three";

const [cwd, command, ...words] = process.argv.slice(2);
const agent = spawn(command, words, { cwd, stdio: ["pipe", "pipe", "inherit"] });
const ended = once(agent, "exit");

class Turn {
  stop = null;
  said = "";
  calls = {};
  asked = [];
  files = [];

  hear(update) {
    if (update.sessionUpdate === "agent_message_chunk") this.said += update.content.text ?? "";
    if (!update.sessionUpdate.startsWith("tool_call")) return;
    const call = (this.calls[update.toolCallId] ??= {});
    for (const key of ["title", "kind", "status"]) if (update[key]) call[key] = update[key];
  }

  told() {
    const at = this.said.indexOf(ENOUGH);
    const said = at < 0 ? this.said : this.said.slice(0, at + ENOUGH.length);
    const { stop, calls, asked, files } = this;
    return { stop, said, calls: Object.values(calls), asked, files };
  }
}

let turn = new Turn();
let cancel = () => {};

const handlers = {
  async sessionUpdate({ update }) {
    turn.hear(update);
    if (turn.said.includes(ENOUGH)) cancel();
  },
  async requestPermission({ toolCall, options }) {
    turn.asked.push([toolCall.title, options.map((option) => option.kind)]);
    const { optionId } = options.find((option) => option.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId } };
  },
  async readTextFile({ path }) {
    turn.files.push(["read", path]);
    try {
      return { content: readFileSync(path, "utf8") };
    } catch {
      throw acp.RequestError.resourceNotFound(path);
    }
  },
  async writeTextFile({ path, content }) {
    turn.files.push(["write", path]);
    writeFileSync(path, content);
    return {};
  },
};

const connection = new acp.ClientSideConnection(() => handlers, stream(agent.stdin, agent.stdout));

async function take(sessionId, text) {
  turn = new Turn();
  let cancelled = false;
  cancel = () => {
    if (!cancelled) connection.cancel({ sessionId });
    cancelled = true;
  };
  try {
    const answer = await connection.prompt({ sessionId, prompt: [{ type: "text", text }] });
    turn.stop = answer.stopReason;
  } catch (error) {
    turn.stop = [error.code, error.message, error.data];
  }
  await sleep(200); // some agents have a word more to say
  return turn.told();
}

const { agentInfo } = await connection.initialize({
  protocolVersion: acp.PROTOCOL_VERSION,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false, auth: { terminal: false } },
  clientInfo: { name: "typescript-sdk-client", version: "1.0" },
});
const { sessionId } = await connection.newSession({ cwd, mcpServers: [] });
const turns = [await take(sessionId, WORK), await take(sessionId, COUNT)];
agent.stdin.end();
const [status] = await ended;
const name = agentInfo ? `${agentInfo.name} ${agentInfo.version}` : null;
console.log(JSON.stringify({ agent: name, turns, status }));
