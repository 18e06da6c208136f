import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer as createPlain, type RequestListener, request } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCertificate } from "../../../../rigs/harness/certificate.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { asOrdinaryUser } from "../../../../rigs/harness/ordinary-user.ts";
import { FaultyFront } from "../faults.ts";
import { Shell } from "./shell.ts";

const CHECKS = ["settings", "proxy", "name", "connection", "clock", "key", "databases", "storage", "disk"];

describe("doctor", () => {
  let shell: Shell;
  const closing: (() => void)[] = [];
  beforeAll(async () => {
    shell = await Shell.open();
    for (const id of ["vpn_ip_v1", "bogon_ip_v1", "tor_ip_v1"]) await shell.publish(id);
    shell.environment.DBDEPOT_CLIENT_DATABASES = "vpn_ip_v1";
  });
  afterAll(async () => {
    for (const close of closing) close();
    await shell.dispose();
  });

  /** Runs doctor and returns the line of one check. */
  async function line(check: string, environment: Record<string, string>): Promise<string> {
    const { out, exitCode } = await shell.runWith(environment, "doctor");
    const found = out.split("\n").find((text) => text.slice(6).startsWith(`${check}: `)) ?? "";
    expect(exitCode).toBe(out.includes("FAIL") ? 1 : 0);
    return found;
  }

  async function listening(handler: RequestListener): Promise<string> {
    const server = createPlain(handler);
    closing.push(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("prints one line per check, in order", async () => {
    const { exitCode, out, err } = await shell.run("doctor");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((text) => /^(?:ok|note|FAIL) +(\w+): /.exec(text)?.[1]),
    ).toEqual(CHECKS);
    expect(out).toMatch(
      /^ok {4}key: accepted as [^;]+, scopes db\.download[^;]*; licensed: bogon_ip, vpn_ip; unlicensed: tor_ip$/m,
    );
    expect(out).toMatch(/^ok {4}storage: .* serves vpn_ip_v1/m);
    expect(out).toMatch(/^ok {4}disk: .* is writable and has .* free$/m);
    const document = await shell.json(0, "doctor");
    expect(document.findings.map(({ check }: { check: string }) => check)).toEqual(CHECKS);
    expect(await shell.names()).toEqual([]);
  });

  it("settings: reports missing settings", async () => {
    const nothing = { DBDEPOT_CLIENT_URL: "", DBDEPOT_CLIENT_KEY: "" };
    expect(await line("settings", nothing)).toMatch(
      /^FAIL .*DBDEPOT_CLIENT_URL.*DBDEPOT_CLIENT_KEY.*What to do: .*config init/,
    );
    expect(await line("disk", nothing)).toMatch(/^ok/);
  });

  it("name: reports an unknown host", async () => {
    expect(await line("name", { DBDEPOT_CLIENT_URL: "http://nothing.invalid" })).toMatch(
      /^FAIL .*cannot resolve .*What to do: .*DNS/,
    );
  });

  it("connection: reports a refused connection", async () => {
    expect(await line("connection", { DBDEPOT_CLIENT_URL: "http://127.0.0.1:1" })).toMatch(
      /^FAIL .*connection refused \(ECONNREFUSED\).*What to do:/,
    );
  });

  it("connection: names the proxy if the proxy is down", async () => {
    expect(await line("connection", { HTTP_PROXY: "http://127.0.0.1:1" })).toMatch(
      /^FAIL .*cannot reach the proxy 127\.0\.0\.1:1: connection refused .*What to do: check that the proxy is running/,
    );
  });

  it("connection: explains https:// to a port that does not use TLS", async () => {
    const url = shell.customer.apiUrl.replace("http:", "https:");
    const found = await line("connection", { DBDEPOT_CLIENT_URL: url });
    expect(found).toMatch(/does not use TLS on this port; use http:\/\/ or another port .*What to do: check the port/);
  });

  it("clock: reports a wrong clock", async () => {
    const off = (seconds: number) =>
      shell.inFront((headers) => {
        headers.date = new Date(Date.now() + seconds * 1000).toUTCString();
      });
    expect(await line("clock", { DBDEPOT_CLIENT_URL: (await off(-7200)).url })).toMatch(
      /^FAIL .*is (2 h 0 min|1 h 59 min) ahead of the service's\. What to do: .*NTP/,
    );
    expect(await line("clock", { DBDEPOT_CLIENT_URL: (await off(120)).url })).toMatch(/^note .*behind the service's$/);
  });

  it("key: reports a refused key", async () => {
    expect(await line("key", { DBDEPOT_CLIENT_KEY: "dbd_wrong" })).toMatch(/^FAIL .*401 UNAUTHORIZED.*request/);
    expect(await line("storage", { DBDEPOT_CLIENT_KEY: "dbd_wrong" })).toBe("");
  });

  it("key: continues without the organization if the service has no identity endpoint", async () => {
    const old = await FaultyFront.open(shell.customer.apiUrl);
    closing.push(() => void old.close());
    old.api = ({ url }) => (url.pathname.endsWith("/iam/identity") ? { status: 404 } : undefined);
    const environment = { DBDEPOT_CLIENT_URL: old.url };
    expect(await line("key", environment)).toMatch(
      /^ok +key: accepted; licensed: bogon_ip, vpn_ip; unlicensed: tor_ip/,
    );
    expect(old.seenByApi.some(({ url }) => url.pathname === "/api/v1/iam/identity")).toBe(true);
    expect(await line("databases", environment)).toMatch(/^ok/);
  });

  it("key: says which scope a valid key lacks", async () => {
    const { key } = await shell.test.operator.colleague(shell.customer, { scopes: ["apikeys.manage"] });
    expect(await line("key", { DBDEPOT_CLIENT_KEY: key })).toMatch(
      /^FAIL .*lacks the scope db\.download: it has apikeys\.manage\. What to do:/,
    );
  });

  it("databases: reports missing licences, unknown ids and missing formats", async () => {
    expect(await line("databases", { DBDEPOT_CLIENT_DATABASES: "tor_ip_v1,nothing_v1,vpn_ip_v1" })).toMatch(
      /^FAIL .*tor_ip_v1 is unlicensed; nothing_v1 is not in the catalogue\. What to do: .*ask your vendor/,
    );
    await shell.test.operator.addDatabase("bogon_ip_v2", { formats: ["csvgz"] });
    await shell.test.operator.publish("bogon_ip_v2");
    expect(
      await line("databases", { DBDEPOT_CLIENT_DATABASES: "bogon_ip_v2", DBDEPOT_CLIENT_FORMATS: "mmdb" }),
    ).toMatch(/^FAIL .*bogon_ip_v2 has no mmdb build/);
  });

  it("storage: reports an unreachable storage and a captive portal", async () => {
    const lost = await shell.inFront((headers) => {
      if (headers.location) headers.location = String(headers.location).replace(/\/\/[^/]+/, "//127.0.0.1:1");
    });
    expect(await line("storage", { DBDEPOT_CLIENT_URL: lost.url })).toMatch(
      /^FAIL .*What to do: allow connections to 127\.0\.0\.1:1, or set delivery to "stream"$/,
    );
    expect(await line("storage", { DBDEPOT_CLIENT_URL: lost.url, DBDEPOT_CLIENT_DELIVERY: "stream" })).toMatch(/^ok/);
    const portal = await listening((_, response) => response.writeHead(511).end());
    const hidden = await shell.inFront((headers) => {
      if (headers.location) headers.location = String(headers.location).replace(/http:\/\/[^/]+/, portal);
    });
    expect(await line("storage", { DBDEPOT_CLIENT_URL: hidden.url })).toMatch(
      /^FAIL .* returned 511\. What to do: .*proxy/,
    );
  });

  it("disk: reports a directory that cannot be written", async () => {
    await writeFile(shell.path("a-file"), "");
    expect(await line("disk", { DBDEPOT_CLIENT_DIRECTORY: shell.path("a-file", "below") })).toMatch(
      /^FAIL .*cannot write to .*not a directory \(ENOTDIR\)\. What to do: choose another directory/,
    );
    await mkdir(shell.path("closed"), { mode: 0o500 });
    const closed = await asOrdinaryUser(() => line("disk", { DBDEPOT_CLIENT_DIRECTORY: shell.path("closed") }));
    expect(closed).toMatch(/^FAIL .*cannot write to .*EACCES/);
  });

  it("proxy: names the proxy without its password", async () => {
    const proxy = await listening((incoming, outgoing) => {
      incoming.pipe(
        request(incoming.url ?? "", { method: incoming.method, headers: incoming.headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        }),
      );
    });
    const { host } = new URL(proxy);
    const { out, exitCode } = await shell.runWith({ HTTP_PROXY: `http://ada:hunter2@${host}` }, "doctor");
    expect(exitCode).toBe(0);
    expect(out).toMatch(new RegExp(`^ok {4}proxy: requests go through ${host}`, "m"));
    expect(out).not.toContain("hunter2");
  });

  it("connection: reports an untrusted certificate and one that expires soon", needs("openssl"), async () => {
    const { cert: certificate, key } = await createCertificate(shell.folder, ["127.0.0.1", "localhost"], 5);
    const secure = createSecure({ key: await readFile(key), cert: await readFile(certificate) });
    closing.push(() => secure.close());
    // A TLS proxy in front of the service.
    secure.on("secureConnection", () => {});
    secure.on("request", (incoming, outgoing) => {
      const forwarded = request(`${shell.customer.apiUrl}${incoming.url}`, { headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
    await once(secure.listen(0, "127.0.0.1"), "listening");
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    expect(await line("connection", { DBDEPOT_CLIENT_URL: url })).toMatch(
      /^FAIL .*self-signed.*What to do: .*set NODE_EXTRA_CA_CERTS/,
    );
    const trusting = shell.spawn(["doctor"], { DBDEPOT_CLIENT_URL: url, NODE_EXTRA_CA_CERTS: certificate });
    const { out } = await shell.ended(trusting);
    expect(out).toMatch(/^note {2}connection: .* uses TLSv1\.3; its certificate expires in 4 days: ask your vendor/m);
    expect(out).toMatch(/^ok {4}key: accepted/m);
  });
});
