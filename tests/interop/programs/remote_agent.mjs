// A remote agent on the TypeScript SDK, over HTTP and WebSocket; prints its URL.
import http from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const installed = createRequire(`${process.env.INTEROP_NODE}/`);
const load = (name) => import(pathToFileURL(installed.resolve(name)));
const { agent, methods } = await load("@agentclientprotocol/sdk");
const { AcpServer } = await load("@agentclientprotocol/sdk/experimental/server");
const node = await load("@agentclientprotocol/sdk/experimental/node");
const { default: ws } = await load("ws");

const create = () =>
  agent({ name: "remote" })
    .onRequest(methods.agent.initialize, async () => ({
      protocolVersion: 1,
      agentCapabilities: {},
      agentInfo: { name: "typescript-sdk-remote", version: "1.0" },
    }))
    .onRequest(methods.agent.session.new, async () => ({ sessionId: "s1" }))
    .onRequest(methods.agent.session.prompt, async (context) => {
      const peer = context.client ?? context.peer ?? context;
      const call = { toolCallId: "t1", title: "Read" };
      const update = (update) =>
        peer.notify(methods.client.session.update, { sessionId: "s1", update });
      await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hello" } });
      await update({ sessionUpdate: "tool_call", ...call, status: "pending" });
      await peer.request(methods.client.session.requestPermission, {
        sessionId: "s1",
        toolCall: call,
        options: [{ optionId: "a", name: "Allow", kind: "allow_once" }],
      });
      await update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" });
      return { stopReason: "end_turn" };
    });

const server = new AcpServer({ createAgent: create });
const listener = http.createServer(node.createNodeHttpHandler(server));
const sockets = new ws.WebSocketServer({ noServer: true });
listener.on("upgrade", node.createNodeWebSocketUpgradeHandler(server, sockets));
listener.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${listener.address().port}/acp`),
);
