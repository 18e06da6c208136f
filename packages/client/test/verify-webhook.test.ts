import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { programEnvironment } from "../../../rigs/harness/program-environment.ts";
import { verifyWebhook } from "../src/index.ts";

const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const OTHER_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const EVENT = { id: "019a8f3e", type: "build.published", timestamp: "2026-11-02T04:00:00Z", data: { id: "größe_v1" } };
const BODY = JSON.stringify(EVENT);

/** Signs with the reference implementation. */
function headersOf({ secrets = [SECRET], time = new Date(), body = BODY } = {}): Record<string, string> {
  return {
    "webhook-id": EVENT.id,
    "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new StandardWebhook(secret).sign(EVENT.id, time, body)).join(" "),
  };
}

describe("verifyWebhook", () => {
  it("accepts what the reference implementation signs, as text and bytes, with every kind of headers", async () => {
    const headers = headersOf();
    expect(await verifyWebhook(BODY, headers, SECRET)).toEqual(EVENT);
    expect(await verifyWebhook(Buffer.from(BODY), headers, SECRET)).toEqual(EVENT);
    expect(await verifyWebhook(BODY, new Headers(headers), ` ${SECRET}\n`)).toEqual(EVENT);
    const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook(BODY, upperCase, SECRET)).toEqual(EVENT);
  });

  it("accepts one of several signatures, as during a rotation", async () => {
    const headers = headersOf({ secrets: [OTHER_SECRET, SECRET] });
    expect(await verifyWebhook(BODY, headers, SECRET)).toEqual(EVENT);
    expect(await verifyWebhook(BODY, headers, OTHER_SECRET)).toEqual(EVENT);
  });

  it("rejects everything else", async () => {
    const headers = headersOf();
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    const wrong: [string, Record<string, string | undefined>, string][] = [
      [`${BODY} `, headers, SECRET],
      [BODY, headers, OTHER_SECRET],
      [BODY, { ...headers, "webhook-id": "other" }, SECRET],
      [BODY, { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) }, SECRET],
      [BODY, { ...headers, "webhook-timestamp": `${headers["webhook-timestamp"]}.` }, SECRET],
      [BODY, { ...headers, "webhook-signature": "v1,AAAA" }, SECRET],
      [BODY, { ...headers, "webhook-signature": "v1,not base64!" }, SECRET],
      [BODY, { ...headers, "webhook-signature": (headers["webhook-signature"] ?? "").replace("v1,", "v2,") }, SECRET],
      [BODY, { ...headers, "webhook-signature": undefined }, SECRET],
      [BODY, headersOf({ time: minutes(-6) }), SECRET],
      [BODY, headersOf({ time: minutes(6) }), SECRET],
    ];
    for (const [body, given, secret] of wrong) {
      await expect(verifyWebhook(body, given, secret)).rejects.toMatchObject({ kind: "invalid_webhook" });
    }
  });

  it("says so if the secret is malformed, without repeating it", async () => {
    for (const secret of ["", "whsec_", "whsec_%%%"]) {
      const error = await verifyWebhook(BODY, headersOf(), secret).catch((error: Error) => error);
      expect(error).toMatchObject({ kind: "bad_request", message: "the webhook secret must be whsec_ and Base64" });
    }
  });
});

describe("docs/customers/webhooks.md", () => {
  async function snippet(language: string): Promise<string> {
    const page = await readFile(new URL("../../../docs/customers/webhooks.md", import.meta.url), "utf8");
    return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(page)?.[1] ?? "";
  }

  it("has a receiver for Node.js that works", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dbdepot-webhooks-"));
    const library = JSON.stringify(new URL("../src/index.ts", import.meta.url).href);
    await writeFile(join(folder, "receiver.mjs"), (await snippet("js")).replace('"@dbdepot/client"', library));
    const port = await freePort();
    const child = spawn(process.execPath, [join(folder, "receiver.mjs")], {
      env: { ...programEnvironment(), PORT: String(port), WEBHOOK_SECRET: SECRET },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    const post = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: BODY });
    try {
      await expect.poll(async () => (await post(headersOf()).catch(() => undefined))?.status).toBe(204);
      expect((await post(headersOf({ secrets: [OTHER_SECRET] }))).status).toBe(400);
      await expect.poll(() => printed).toContain("new build of größe_v1");
    } finally {
      child.kill();
      await rm(folder, { recursive: true });
    }
  });

  it("has a function for Python that works", needs("python3"), async () => {
    const script = `${await snippet("python")}
import sys
given = json.loads(sys.stdin.read())
for headers in given["headers"]:
    try:
        print(verify_webhook(given["body"].encode(), headers, given["secret"])["type"])
    except ValueError as error:
        print(error)
`;
    const child = spawn("python3", ["-c", script], { stdio: ["pipe", "pipe", "inherit"] });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    const headers = [
      headersOf({ secrets: [OTHER_SECRET, SECRET] }),
      headersOf({ secrets: [OTHER_SECRET] }),
      headersOf({ time: new Date(Date.now() - 600_000) }),
    ];
    child.stdin.end(JSON.stringify({ body: BODY, secret: SECRET, headers }));
    await once(child, "close");
    expect(printed.trim().split("\n")).toEqual([
      "build.published",
      "the signature is wrong",
      "the request is too old, or this machine's clock is wrong",
    ]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
