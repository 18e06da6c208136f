import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Certificate, createCertificate } from "../../../../../rigs/harness/certificate.ts";
import { needs } from "../../../../../rigs/harness/needs.ts";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { geoipupdatePath, Updater } from "../../../../../rigs/harness/service/geoipupdate.ts";
import { eitherStage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { accountIdOf } from "../../../src/domain/access/account-id.ts";
import { geoipError } from "../../../src/http/geoip/errors.ts";

for (const stage of eitherStage()) {
  for (const version of [4, 7] as const) {
    describe(`geoipupdate ${version} on ${stage.name}`, needs(`geoipupdate ${version}`, "openssl"), () => {
      let test: TestService;
      let acme: Customer;
      let directory: string;
      let proxy: Server;
      let updater: Updater;

      beforeAll(async () => {
        test = await testService(stage);
        directory = await mkdtemp(join(tmpdir(), "dbdepot-geoipupdate-"));
        const certificate = await createCertificate(directory, ["localhost"]);
        proxy = await startProxy(test.service.apiUrl, certificate);
        const environment = { SSL_CERT_FILE: certificate.cert };
        updater = new Updater(geoipupdatePath(version) ?? "", join(directory, "databases"), environment);
        acme = await test.operator.customer("Acme");
        for (const id of ["vpn_ip_v1", "tor_ip_v1", "other_ip_v1"]) await test.operator.addDatabase(id);
        for (const base of ["vpn_ip", "tor_ip"]) await test.operator.grant("Acme", base);
        for (const id of ["vpn_ip_v1", "tor_ip_v1"]) await test.operator.publish(id);
      });
      afterAll(async () => {
        proxy.close();
        await test.dispose();
        await rm(directory, { recursive: true });
      });

      const configuration = (changes: { EditionIDs?: string; LicenseKey?: string; AccountID?: number } = {}) => ({
        AccountID: accountIdOf(acme.organizationId),
        LicenseKey: acme.key,
        EditionIDs: "vpn_ip_v1 tor_ip_v1",
        // Version 4 adds the scheme itself.
        Host: `${version === 4 ? "" : "https://"}localhost:${(proxy.address() as AddressInfo).port}`,
        ...changes,
      });

      it("downloads every database, and nothing again until a new build is published", async () => {
        expect(await updater.run(configuration())).toMatchObject({ exitCode: 0 });
        for (const id of ["vpn_ip_v1", "tor_ip_v1"]) {
          expect(await updater.file(id)).toEqual(fileBytes("mmdb", `content of ${id}`));
        }
        const before = await stat(join(updater.directory, "vpn_ip_v1.mmdb"));
        expect(await updater.run(configuration())).toMatchObject({ exitCode: 0 });
        expect((await stat(join(updater.directory, "vpn_ip_v1.mmdb"))).ino).toBe(before.ino);
        const sent = (await acme.history()).filter(({ http_status }) => http_status === 200);
        expect(sent.map(({ dataset_id, outcome }) => `${dataset_id} ${outcome}`).sort()).toEqual([
          "tor_ip_v1 ok",
          "vpn_ip_v1 ok",
        ]);
        expect(sent[0]?.user_agent).toMatch(/^geoipupdate\//);

        await test.operator.publish("vpn_ip_v1", "newer content", [], "2026-11-02");
        expect(await updater.run(configuration())).toMatchObject({ exitCode: 0 });
        expect(await updater.file("vpn_ip_v1")).toEqual(fileBytes("mmdb", "newer content"));
      });

      it.each([
        ["no licence", { EditionIDs: "other_ip_v1" }, "NOT_LICENSED", "denied"],
        ["an unknown database", { EditionIDs: "GeoLite2-City" }, "UNKNOWN_DATASET", "unknown"],
        ["a wrong account id", { AccountID: 12345 }, "UNAUTHORIZED", "unauthorized"],
      ] as const)("prints why it failed: %s", async (_reason, changes, rc, outcome) => {
        const { exitCode, output } = await updater.run(configuration(changes));
        expect(exitCode).toBe(1);
        expect(output).toContain(JSON.stringify(geoipError(rc)));
        expect((await acme.history("?limit=1"))[0]).toMatchObject({ outcome });
      });

      it("prints that a key is wrong, and keeps the old files", async () => {
        const { exitCode, output } = await updater.run(configuration({ LicenseKey: "0".repeat(16) }));
        expect(exitCode).toBe(1);
        expect(output).toContain("AccountID or LicenseKey is wrong");
        expect(await updater.file("vpn_ip_v1")).toEqual(fileBytes("mmdb", "newer content"));
      });
    });
  }
}

it("geoipupdate 7 stops and prints the reason if the key is rate limited", needs("geoipupdate 7"), async () => {
  const [stage] = stages();
  if (!stage) throw new Error("no stage to test on");
  await using test = await service(stage, { DBDEPOT_RATE_LIMIT: "1:1" });
  const acme = await test.operator.customer("Acme");
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-geoipupdate-"));
  const { exitCode, output } = await new Updater(geoipupdatePath(7) ?? "", directory).run({
    AccountID: accountIdOf(acme.organizationId),
    LicenseKey: acme.key,
    EditionIDs: "one_ip_v1",
    Host: await drained(test, acme),
  });
  expect({ exitCode, output }).toMatchObject({ exitCode: 1, output: expect.stringContaining("RATE_LIMITED") });
  await rm(directory, { recursive: true });
});

/** Uses up the limit of the key. The test clock does not advance, so it stays used up. */
async function drained(test: TestService, customer: Customer): Promise<string> {
  await customer.list();
  return test.service.apiUrl;
}

async function service(...options: Parameters<typeof testService>) {
  const test = await testService(...options);
  return { ...test, [Symbol.asyncDispose]: () => test.dispose() };
}

/** Adds HTTPS, which geoipupdate 4 always uses. */
async function startProxy(apiUrl: string, certificate: Certificate): Promise<Server> {
  const options = { cert: await readFile(certificate.cert), key: await readFile(certificate.key) };
  const server = createServer(options, (from, to) => {
    const forward = request(apiUrl + from.url, { method: from.method, headers: from.headers }, (reply) => {
      to.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(to);
    });
    from.pipe(forward);
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  return server;
}
