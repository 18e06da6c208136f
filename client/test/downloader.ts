/**
 * A customer's process, to be killed: `node downloader.ts <base url> <key> <target>`. Once a line has come on standard
 * input it downloads to the target again and again, and says how far each has come.
 */
import { once } from "node:events";
import { DbdepotClient } from "../src/index.ts";

const [baseUrl = "", apiKey = "", to = ""] = process.argv.slice(2);
const client = new DbdepotClient({ baseUrl, apiKey, retryDelayMs: 1, env: {} });
await client.list();
say("ready");
await once(process.stdin, "data");

for (;;) {
  say("begun");
  let isHalfWay = false;
  await client.download("vpn_ip_v1", "mmdb", {
    to,
    onProgress: ({ receivedBytes, totalBytes }) => {
      if (isHalfWay || totalBytes === null || receivedBytes < totalBytes / 2) return;
      isHalfWay = true;
      say("half way");
    },
  });
  say("done");
}

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}
