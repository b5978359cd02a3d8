// An agent on the TypeScript SDK that needs no model; it does what agent.py does.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { acp, stream } from "./sdk.mjs";

const YES = `yes-${randomUUID()}`;
const OPTIONS = [
  { optionId: YES, name: "Allow", kind: "allow_once" },
  { optionId: `no-${randomUUID()}`, name: "Reject", kind: "reject_once" },
];
const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

class Agent {
  constructor(client) {
    this.client = client;
  }

  async initialize({ protocolVersion }) {
    const agentInfo = { name: "typescript-sdk-agent", version: "1.0" };
    return { protocolVersion, agentCapabilities: {}, agentInfo };
  }

  async newSession({ cwd }) {
    this.cwd = cwd;
    return { sessionId: randomUUID() };
  }

  async authenticate() {
    return {};
  }

  async cancel() {
    this.cancelled = true;
  }

  async prompt({ sessionId, prompt }) {
    this.cancelled = false;
    this.sessionId = sessionId;
    const words = prompt[0].text.split(" ");
    return words.includes("count") ? this.count() : this.work(words);
  }

  update(update) {
    return this.client.sessionUpdate({ sessionId: this.sessionId, update });
  }

  say(text) {
    const content = { type: "text", text };
    return this.update({ sessionUpdate: "agent_message_chunk", content });
  }

  async count() {
    for (let number = 0; number < 600; number++) {
      await this.say(`${NUMBERS[number % 10]} `);
      await sleep(50);
      if (this.cancelled) return { stopReason: "cancelled" };
    }
    return { stopReason: "end_turn" };
  }

  async work(words) {
    for (const word of words) await this.say(`${word} `);
    const path = `${this.cwd}/notes.txt`;
    const call = { toolCallId: randomUUID(), title: `Read ${path}`, kind: "read" };
    const status = (status) =>
      this.update({ sessionUpdate: "tool_call_update", toolCallId: call.toolCallId, status });
    await this.update({ sessionUpdate: "tool_call", ...call, status: "pending" });
    const { outcome } = await this.client.requestPermission({
      sessionId: this.sessionId,
      toolCall: call,
      options: OPTIONS,
    });
    if (outcome.optionId !== YES) {
      await status("failed");
      return { stopReason: "refusal" };
    }
    await status("in_progress");
    const { content } = await this.client.readTextFile({ sessionId: this.sessionId, path });
    await status("completed");
    await this.say(content);
    return { stopReason: "end_turn" };
  }
}

new acp.AgentSideConnection((client) => new Agent(client), stream(process.stdout, process.stdin));
