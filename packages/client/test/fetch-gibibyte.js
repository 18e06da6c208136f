/** `node fetch-gibibyte.js <library> <base url> <key> <format> <target>` prints the size and the peak memory. */
import { readFile } from "node:fs/promises";

const [library, baseUrl, apiKey, format, to] = process.argv.slice(2);
const { DbdepotClient } = await import(library);
const { sizeBytes } = await new DbdepotClient({ baseUrl, apiKey, env: {} }).download("vpn_ip_v1", format, { to });
const status = await readFile("/proc/self/status", "utf8");
const peakMb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1000;
process.stdout.write(`${JSON.stringify({ sizeBytes, peakMb })}\n`);
