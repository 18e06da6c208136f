import { routeTo } from "./connection.ts";
import { NodeCalls } from "./node-calls.ts";
import { transfer } from "./node-transfer.ts";
import type { Environment } from "./proxy.ts";
import type { Transport } from "./transport.ts";

/** Over Node's own sockets: its fetch knows no proxy variables in version 20, and copies too much for large files. */
export function nodeTransport(env: Environment): Transport {
  const calls = new NodeCalls(env);
  return {
    call: (outgoing) => calls.call(outgoing),
    transfer: async (outgoing) => transfer(outgoing, routeTo(outgoing.url, env)),
  };
}
