import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createCertificate } from "../../../../../rigs/harness/certificate.ts";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { createSender, type SenderOptions } from "../../../src/domain/webhooks/sender.ts";
import { Receiver } from "./receiver.ts";

const LOOPBACK = ["127.0.0.1/32"];
const FORBIDDEN = "the host was not found, or has no address to which webhooks may be sent";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.close());

function send(url: string, options: Partial<SenderOptions> = {}) {
  return createSender({ privateNetworks: LOOPBACK, isQuiet: async () => false, ...options }).send({
    url,
    headers: { "webhook-id": "1" },
    body: "{}",
  });
}

/** Resolves every name to these addresses, one after the other. */
function resolver(...addresses: string[]) {
  const names: string[] = [];
  return {
    names,
    async resolve(name: string): Promise<LookupAddress[]> {
      const address = addresses[Math.min(names.length, addresses.length - 1)] ?? "";
      names.push(name);
      return [{ address, family: address.includes(":") ? 6 : 4 }];
    },
  };
}

describe("The sender of webhooks", () => {
  it("posts the body and returns the status", async () => {
    expect(await send(receiver.url("/a?b=c"))).toMatchObject({ httpStatus: 204, error: null });
    expect(receiver.received[0]).toMatchObject({ path: "/a?b=c", raw: "{}", headers: { "webhook-id": "1" } });
    expect(receiver.received[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^dbdepot\//),
    });
  });

  it("keeps headers and bodies, but not the receiver's cookies", async () => {
    receiver.respond = (_, response) => {
      response.writeHead(500, { "x-reason": ["a", "b"], "set-cookie": "session=secret" }).end("broken\0pipe");
      return undefined;
    };
    const { request, response } = await send(receiver.url("/"));
    expect(request).toMatchObject({ body: "{}", isCut: false, headers: { "webhook-id": "1", "content-length": "2" } });
    expect(request.headers).toEqual(expect.objectContaining({ host: `127.0.0.1:${receiver.port}` }));
    expect(response).toMatchObject({
      body: "broken\uFFFDpipe",
      isCut: false,
      headers: { "x-reason": "a, b", "set-cookie": "(not kept)" },
    });
    expect((await send("http://127.0.0.1:1/")).response).toBeNull();
  });

  it("keeps the first 16 KiB of the body", async () => {
    receiver.respond = (_, response) => {
      response.writeHead(200).end("x".repeat(20_000));
      return undefined;
    };
    const { response } = await send(receiver.url("/"));
    expect(response).toMatchObject({ isCut: true, body: "x".repeat(16 * 1024) });
  });

  it("refuses private addresses in the URL", async () => {
    for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]) {
      const result = await send(`https://${host}:${receiver.port}/`, { privateNetworks: [] });
      expect([host, result.error]).toEqual([host, FORBIDDEN]);
    }
    expect(receiver.received).toEqual([]);
  });

  it("refuses names that resolve to private addresses", async () => {
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254"]) {
      const { resolve } = resolver(address);
      const result = await send(`https://hooks.example.com:${receiver.port}/`, { privateNetworks: [], resolve });
      expect([address, result.error]).toEqual([address, FORBIDDEN]);
    }
    expect((await send(`https://localhost:${receiver.port}/`, { privateNetworks: [] })).error).toBe(FORBIDDEN);
    expect(receiver.received).toEqual([]);
  });

  it("reports unknown and private names alike, so that customers cannot probe the vendor's DNS", async () => {
    for (const code of ["ENOTFOUND", "EAI_AGAIN"]) {
      const resolve = () => Promise.reject(Object.assign(new Error(code), { code }));
      expect([code, (await send("https://db.internal/", { resolve })).error]).toEqual([code, FORBIDDEN]);
    }
    expect((await send("https://does-not-exist.invalid/")).error).toBe(FORBIDDEN);
  });

  it("uses the other addresses of a name that has both", async () => {
    const resolve = async () => [
      { address: "127.0.0.2", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    expect((await send(`http://hooks.example.com:${receiver.port}/`, { resolve })).httpStatus).toBe(204);
  });

  it("connects to the address that it has checked, even if the name changes its address", async () => {
    const rebinding = resolver("127.0.0.1", "127.0.0.2");
    const url = `http://hooks.example.com:${receiver.port}/`;
    expect((await send(url, { resolve: rebinding.resolve })).httpStatus).toBe(204);
    expect(rebinding.names).toEqual(["hooks.example.com"]);
    expect((await send(url, { resolve: rebinding.resolve })).error).toBe(FORBIDDEN);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers.host).toBe(`hooks.example.com:${receiver.port}`);
  });

  it("refuses http to public addresses", async () => {
    const { resolve } = resolver("8.8.8.8");
    expect((await send("http://hooks.example.com/", { resolve })).error).toBe(FORBIDDEN);
    expect((await send("http://8.8.8.8/")).error).toBe(FORBIDDEN);
  });

  it("does not follow redirects", async () => {
    receiver.respond = (_, response) => {
      response.writeHead(307, { location: receiver.url("/elsewhere") }).end();
      return undefined;
    };
    expect((await send(receiver.url("/"))).httpStatus).toBe(307);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/"]);
  });

  it("ignores proxies in the environment", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ["http_proxy", "HTTP_PROXY"]) vi.stubEnv(name, "http://127.0.0.1:9");
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    expect((await send(receiver.url())).httpStatus).toBe(204);
  });

  it("gives up on receivers that don't respond in time", async () => {
    receiver.respond = () => new Promise(() => {});
    expect(await send(receiver.url(), { timeoutMs: 200 })).toMatchObject({
      httpStatus: null,
      error: "no response within 0.2 s",
    });
  });

  it("takes the status of a response whose body never ends", async () => {
    receiver.respond = (_, response) => {
      response.writeHead(200).write("a");
      return undefined;
    };
    expect(await send(receiver.url(), { timeoutMs: 200 })).toMatchObject({ httpStatus: 200, error: null });
  });

  it("reads only the beginning of a huge response", async () => {
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    receiver.respond = (_, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.writeHead(200);
      response.on("drain", write);
      response.on("close", () => closed.resolve());
      write();
      return undefined;
    };
    expect((await send(receiver.url())).httpStatus).toBe(200);
    await closed.promise;
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it("says what went wrong without addresses", async () => {
    const { port } = receiver;
    await receiver.close();
    expect((await send(`http://127.0.0.1:${port}/`)).error).toBe("connection refused");
    receiver = await Receiver.start();
    receiver.respond = (_, response) => {
      response.destroy();
      return undefined;
    };
    expect((await send(receiver.url())).error).toBe("connection closed before a response arrived");
    // This server speaks HTTP where TLS is expected.
    expect((await send(receiver.url().replace("http:", "https:"))).error).toMatch(/^request failed: E/);
  });

  it("verifies the certificate of the host", needs("openssl"), async () => {
    const folder = await mkdtemp(join(tmpdir(), "dbdepot-tls-"));
    const { cert, key } = await createCertificate(folder, ["hooks.example.com"]);
    const server = createServer({ key: await readFile(key), cert: await readFile(cert) }, (_, response) =>
      response.writeHead(200).end(),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { resolve } = resolver("127.0.0.1");
    const defaults = tls.getCACertificates("default");
    try {
      const url = `https://hooks.example.com:${port}/`;
      expect((await send(url, { resolve })).error).toBe("request failed: DEPTH_ZERO_SELF_SIGNED_CERT");
      tls.setDefaultCACertificates([...defaults, await readFile(cert, "utf8")]);
      expect((await send(url, { resolve })).httpStatus).toBe(200);
      const other = await send(`https://other.example.com:${port}/`, { resolve });
      expect(other.error).toBe("request failed: ERR_TLS_CERT_ALTNAME_INVALID");
    } finally {
      tls.setDefaultCACertificates(defaults);
      server.close();
      await rm(folder, { recursive: true });
    }
  });
});
