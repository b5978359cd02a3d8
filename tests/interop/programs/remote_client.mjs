// A client over the TypeScript SDK's remote transport: one turn each, and what it noticed as JSON.
// usage: remote_client.mjs URL...
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const installed = createRequire(`${process.env.INTEROP_NODE}/`);
const load = (name) => import(pathToFileURL(installed.resolve(name)));
const { createHttpStream } = await load("@agentclientprotocol/sdk/experimental/http-client");
const { createWebSocketStream } = await load("@agentclientprotocol/sdk/experimental/ws-client");
const { default: ws } = await load("ws");

async function converse(url) {
  const stream = url.startsWith("ws")
    ? createWebSocketStream(url, { WebSocket: ws.WebSocket })
    : createHttpStream(url);
  const writer = stream.writable.getWriter();
  const pending = new Map();
  const noticed = { updates: 0, asked: 0, stop: null };

  (async () => {
    for await (const message of stream.readable) {
      if (message.method === "session/update") noticed.updates++;
      else if (message.method === "session/request_permission") {
        noticed.asked++;
        const outcome = { outcome: "selected", optionId: "a" };
        await writer.write({ jsonrpc: "2.0", id: message.id, result: { outcome } });
      } else pending.get(message.id)?.(message);
    }
  })().catch(() => {});

  let last = 0;
  function request(method, params) {
    const id = last++;
    const response = new Promise((resolve) => pending.set(id, resolve));
    return writer.write({ jsonrpc: "2.0", id, method, params }).then(() => response);
  }

  const clientInfo = { name: "typescript-sdk-remote-client", version: "1.0" };
  await request("initialize", { protocolVersion: 1, clientCapabilities: {}, clientInfo });
  const { result } = await request("session/new", { cwd: "/", mcpServers: [] });
  const prompt = [{ type: "text", text: "hi" }];
  const turn = await request("session/prompt", { sessionId: result.sessionId, prompt });
  await writer.close().catch(() => {});
  noticed.stop = turn.result?.stopReason ?? turn.error;
  return noticed;
}

console.log(JSON.stringify(await Promise.all(process.argv.slice(2).map(converse))));
process.exit(0);
