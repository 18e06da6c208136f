import { createRequire } from "node:module";

/**
 * An `import` of node:http makes all that it exports, and for that Node.js 24 loads its fetch and HTTP/2, which nobody
 * needs here: 30 ms of CPU time at every start, as much as Node.js takes for its own (measured).
 */
export const { Agent, request } = createRequire(import.meta.url)("node:http") as typeof import("node:http");
