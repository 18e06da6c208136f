import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { type Duplex, PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificate } from "../../../rigs/harness/certificate.ts";
import { needs } from "../../../rigs/harness/needs.ts";
import { proxyFor } from "../src/http/proxy.ts";
import { filesOf, ID, sha256Of, TestDepot } from "./depot.ts";

describe("the proxy for a URL", () => {
  const proxyOf = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env)?.href;

  it("comes from the variable for the scheme; lower case wins", () => {
    const env = { HTTP_PROXY: "http://upper:1", http_proxy: "lower:2", HTTPS_PROXY: "https://secure:3" };
    expect(proxyOf("http://depot.example/", env)).toBe("http://lower:2/");
    expect(proxyOf("https://depot.example/", env)).toBe("https://secure:3/");
    expect(proxyOf("https://depot.example/", { ALL_PROXY: "http://all:4" })).toBe("http://all:4/");
    expect(proxyOf("https://depot.example/", { https_proxy: "" })).toBeUndefined();
    expect(() => proxyOf("https://x/", { https_proxy: "socks5://user:secret@proxy:1" })).toThrow(
      /^HTTPS_PROXY must be/,
    );
  });

  it("is not used for hosts in NO_PROXY", () => {
    const without = (list: string, url: string) =>
      proxyOf(url, { ALL_PROXY: "http://p:1", NO_PROXY: list }) === undefined;
    expect(without("*", "http://depot.example")).toBe(true);
    expect(without("other, depot.example", "http://depot.example")).toBe(true);
    expect(without(".example", "http://depot.example")).toBe(true);
    expect(without("*.example", "http://depot.example")).toBe(true);
    expect(without("pot.example", "http://depot.example")).toBe(false);
    expect(without("depot.example:8080", "http://depot.example")).toBe(false);
    expect(without("depot.example:8080", "http://depot.example:8080")).toBe(true);
    expect(without("depot.example:443", "https://depot.example")).toBe(true);
    expect(without("10.0.0.0/8", "http://10.1.2.3")).toBe(true);
    expect(without("10.0.0.0/8,nonsense/99", "http://11.1.2.3")).toBe(false);
    expect(without("::1", "http://[::1]:80")).toBe(true);
    expect(without("fd00::/8", "http://[fd12::1]")).toBe(true);
  });
});

describe("behind a proxy", () => {
  let depot: TestDepot;
  let proxy: TestProxy;
  const files = filesOf("first", 3_000_000);
  beforeAll(async () => {
    depot = await TestDepot.open();
    await depot.publish(files);
    proxy = await TestProxy.open();
  });
  afterAll(async () => {
    await proxy.close();
    await depot.dispose();
  });

  it("sends calls and downloads through the proxy, with its credentials", async () => {
    const env = { HTTP_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}` };
    const result = await depot.client({ env }).download(ID, "mmdb", { to: depot.path("proxied.mmdb") });
    expect(result.sha256).toBe(sha256Of(files.mmdb));
    expect(proxy.seen).toHaveLength(3);
    const basic = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    for (const { headers } of proxy.seen) expect(headers["proxy-authorization"]).toBe(basic);
  });

  it("names the proxy, not the service, if the proxy is unreachable", async () => {
    const client = depot.client({ env: { HTTP_PROXY: "http://127.0.0.1:1" }, retries: 0 });
    await expect(client.list()).rejects.toMatchObject({
      kind: "network",
      code: "ECONNREFUSED",
      message: "cannot reach the proxy 127.0.0.1:1: connection refused (ECONNREFUSED)",
    });
  });

  it.each(["http", "https"])("asks for a user name and a password if the proxy needs them, for %s", async (scheme) => {
    const strict = createServer((_, response) => response.writeHead(407).end());
    strict.on("connect", (_, socket: Duplex) => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    await once(strict.listen(0, "127.0.0.1"), "listening");
    const env = { ALL_PROXY: `http://127.0.0.1:${(strict.address() as AddressInfo).port}` };
    const client = depot.client({ baseUrl: `${scheme}://depot.example`, env, retries: 0 });
    await expect(client.list()).rejects.toMatchObject({
      status: 407,
      message: expect.stringContaining("requires a user name and a password"),
    });
    strict.close().closeAllConnections();
  });

  it.each(["closes", "ignores"])("names the proxy if it %s the connection", async (how) => {
    const sockets: Socket[] = [];
    const broken = createTcpServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      if (how === "closes") socket.destroy();
    });
    await once(broken.listen(0, "127.0.0.1"), "listening");
    const host = `127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const client = depot.client({ env: { HTTP_PROXY: `http://${host}` }, retries: 0, timeoutMs: 500 });
    const where = `${depot.customer.apiUrl} (through the proxy ${host})`;
    const message = how === "closes" ? `${where} closed the connection` : `${where} sent nothing for 0.5 s`;
    await expect(client.list()).rejects.toMatchObject({ message });
    for (const socket of sockets) socket.destroy();
    broken.close();
  });

  it("tunnels https, and rejects untrusted certificates", needs("openssl"), async () => {
    const secure = await secureFront(depot);
    const path = depot.path("secure.mmdb");
    const code = "DEPTH_ZERO_SELF_SIGNED_CERT";
    const untrusting = depot.client({ baseUrl: secure.url, retries: 0 });
    await expect(untrusting.list()).rejects.toMatchObject({ kind: "network", code });
    const authorities = getCACertificates();
    setDefaultCACertificates([secure.certificate]);
    try {
      for (const env of [{}, { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }]) {
        proxy.seen.length = 0;
        const result = await depot.client({ baseUrl: secure.url, env }).download(ID, "mmdb", { to: path });
        expect(result.sha256).toBe(sha256Of(files.mmdb));
        const stream = new PassThrough();
        const [received] = await Promise.all([
          buffer(stream),
          depot
            .client({ baseUrl: secure.url, env, retries: 0 })
            .download(ID, "csvgz", { to: stream })
            .finally(() => stream.end()),
        ]);
        expect(received.equals(files.csvgz)).toBe(true);
        const methods = new Set(proxy.seen.map(({ method }) => method));
        expect([...methods]).toEqual("HTTPS_PROXY" in env ? ["CONNECT"] : []);
      }
    } finally {
      setDefaultCACertificates(authorities);
      await secure.close();
    }
  });
});

/** A forward proxy with CONNECT. */
class TestProxy {
  readonly seen: IncomingMessage[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      this.seen.push(incoming);
      const { "proxy-authorization": _, ...headers } = incoming.headers;
      const forwarded = request(incoming.url ?? "", { method: incoming.method, headers }, (upstream) => {
        outgoing.writeHead(upstream.statusCode ?? 500, upstream.headers);
        upstream.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
    this.#server.on("connect", (incoming: IncomingMessage, client: Duplex) => {
      this.seen.push(incoming);
      const [host, port] = (incoming.url ?? "").split(":");
      const upstream = connect(Number(port), host, () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      for (const side of [client, upstream]) side.on("error", () => {});
    });
  }

  static async open(): Promise<TestProxy> {
    const proxy = new TestProxy();
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The service and the storage behind TLS, at one origin. */
async function secureFront(depot: TestDepot): Promise<{ url: string; certificate: string; close(): Promise<unknown> }> {
  const { cert, key } = await createCertificate(depot.folder, ["127.0.0.1"]);
  let storage = "";
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, outgoing) => {
    const origin = new URL(incoming.url?.startsWith("/api/") ? depot.customer.apiUrl : storage);
    const options = {
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, host: origin.host },
    };
    const forwarded = request(origin, options, (upstream) => {
      const { location, ...headers } = upstream.headers;
      if (location !== undefined) storage = new URL(location).origin;
      outgoing.writeHead(upstream.statusCode ?? 500, {
        ...headers,
        ...(location && { location: location.replace(storage, url) }),
      });
      upstream.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    certificate: readFileSync(cert, "utf8"),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
