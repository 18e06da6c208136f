/**
 * A process for kill.slow.test.ts: `node downloader.js <base url> <key> <target>`. After a line on standard input it
 * downloads to the target again and again, and prints its progress.
 */
import { once } from "node:events";
import { DbdepotClient } from "../src/index.ts";

const [baseUrl = "", apiKey = "", to = ""] = process.argv.slice(2);
const client = new DbdepotClient({ baseUrl, apiKey, retryDelayMs: 1, env: {} });
await client.list();
print("ready");
await once(process.stdin, "data");

for (;;) {
  print("begun");
  let isHalfway = false;
  await client.download("vpn_ip_v1", "mmdb", {
    to,
    onProgress: ({ receivedBytes, totalBytes }) => {
      if (isHalfway || totalBytes === null || receivedBytes < totalBytes / 2) return;
      isHalfway = true;
      print("halfway");
    },
  });
  print("done");
}

function print(word: string): void {
  process.stdout.write(`${word}\n`);
}
