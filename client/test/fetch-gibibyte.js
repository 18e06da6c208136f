/** `node fetch-gibibyte.js <library> <base url> <key> <target>` says how long it took and how much memory. */
import { readFile } from "node:fs/promises";

const [library, baseUrl, apiKey, to] = process.argv.slice(2);
const { DbdepotClient } = await import(library);
const begun = performance.now();
const { sizeBytes } = await new DbdepotClient({ baseUrl, apiKey, env: {} }).download("vpn_ip_v1", "mmdb", { to });
const seconds = (performance.now() - begun) / 1000;
const status = await readFile("/proc/self/status", "utf8");
const peakMb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1000;
process.stdout.write(`${JSON.stringify({ sizeBytes, seconds, peakMb })}\n`);
