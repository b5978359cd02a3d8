// The TypeScript SDK (npm `@agentclientprotocol/sdk`), from the folder that $INTEROP_NODE names.
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const installed = createRequire(`${process.env.INTEROP_NODE}/`);
export const acp = await import(pathToFileURL(installed.resolve("@agentclientprotocol/sdk")));

export function stream(output, input) {
  return acp.ndJsonStream(Writable.toWeb(output), Readable.toWeb(input));
}
