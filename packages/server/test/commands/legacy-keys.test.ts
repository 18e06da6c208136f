import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { TestClock } from "../../../../rigs/harness/service/test-clock.ts";
import { Operator } from "../../../../rigs/harness/service/test-service.ts";
import { type Service, startService } from "../../src/service/service.ts";
import { type CommandResult, runCommand } from "./terminal.ts";

for (const stage of eitherStage()) {
  describe(`legacy-keys on ${stage.name}`, () => {
    let service: Service;
    let operator: Operator;
    let folder: string;
    let environment: Record<string, string>;
    let organization: string;

    let dispose: () => Promise<void>;
    /** New for each test, in the three notations that customers use. */
    let one: string;
    let two: string;
    let three: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "dbdepot-commands-"));
      const opened = await stage.open();
      const { database, dataDir } = opened.settings;
      environment = {
        DBDEPOT_DATA_DIR: dataDir,
        DBDEPOT_DATABASE_URL: database.engine === "sqlite" ? `sqlite:${database.path}` : database.url,
      };
      service = await startService(opened.settings, { log: pino({ level: "silent" }) });
      operator = new Operator(service, new TestClock());
      organization = (await operator.customer("Acme, Inc.")).organizationId;
      for (const id of ["vpn_ip_v1", "bogon_ip_v1"]) await operator.addDatabase(id);
      await operator.publish("vpn_ip_v1");
      dispose = async () => {
        await service.close();
        await opened.dispose();
        await rm(folder, { recursive: true });
      };
    });
    afterAll(() => dispose());
    beforeEach(() => {
      one = randomUUID();
      two = randomUUID().replaceAll("-", "");
      three = randomUUID().toUpperCase();
    });

    async function run(...argv: string[]): Promise<CommandResult> {
      const answer = await runCommand(argv, environment);
      await operator.settle();
      return answer;
    }

    async function importKeys(text: string | Buffer, ...more: string[]) {
      const file = join(folder, "keys.csv");
      await writeFile(file, text);
      return run("legacy-keys", "import", file, ...more);
    }

    const status = async (uuid: string, id = "vpn_ip_v1") =>
      (await call(`${service.apiUrl}/api/v1/database/metadata?id=${id}&apikey=${uuid}`)).status;

    it("import accepts any column order, quoted cells, both list separators and organizations", async () => {
      const { exitCode, out } = await importKeys(
        [
          "\uFEFFname,UUID,ids,org",
          `first,${one},vpn_ip_v1 bogon_ip_v1,"Acme, Inc."`,
          "",
          `"the ""second"", old",${two},vpn_ip_v1;bogon_ip_v1,${organization}`,
          `third , ${three} ,"vpn_ip_v1, vpn_ip_v1",`,
          "",
        ].join("\r\n"),
        "--json",
      );
      expect(exitCode).toBe(0);
      const both = ["vpn_ip_v1", "bogon_ip_v1"];
      expect(JSON.parse(out).imported).toMatchObject([
        { name: "first", database_ids: both, organization_id: organization },
        { name: 'the "second", old', database_ids: both, organization_id: organization },
        { name: "third", database_ids: ["vpn_ip_v1"], organization_id: null },
      ]);
      for (const uuid of [one, two, three, one.replaceAll("-", ""), three.toLowerCase()]) {
        expect(await status(uuid)).toBe(200);
      }
      expect(await status(three, "bogon_ip_v1")).toBe(403);
    });

    it("import writes an audit entry for each key, and shows no UUID", async () => {
      const { out, err } = await importKeys(`uuid,name,ids\n${one},first,vpn_ip_v1\n${two},second,vpn_ip_v1\n`);
      expect([out, err]).toEqual(["Imported 2 keys.\n", ""]);
      const entries = await service.services.store.audit.list({ limit: 2 });
      expect(entries).toMatchObject([
        { action: "legacy_key.created", after: { name: "second" } },
        { action: "legacy_key.created", after: { name: "first" } },
      ]);
      const listed = await run("legacy-keys", "list", "--json");
      for (const uuid of [one, two]) expect(JSON.stringify([entries, listed])).not.toContain(uuid);
    });

    it("import reports every bad line with its number and reason, exits with 1, and imports nothing", async () => {
      await importKeys(`uuid,name,ids\n${three},there already,vpn_ip_v1\n`);
      const known = await service.services.store.legacyKeys.list();
      const audited = await service.services.store.audit.list({ limit: 100 });
      const { exitCode, out, err } = await importKeys(
        [
          "uuid,name,ids,org",
          `${one},good,vpn_ip_v1,`,
          "1234,bad uuid,vpn_ip_v1,",
          `${randomUUID()},unknown id,vpn_ip_v1 nope_v1,`,
          `${randomUUID()},a family,vpn_ip,`,
          `${randomUUID()},no ids,,`,
          `${randomUUID()},,vpn_ip_v1,`,
          `${randomUUID()},unknown org,vpn_ip_v1,Unknown`,
          `${three.toLowerCase()},known,vpn_ip_v1,`,
          `${one.toUpperCase()},twice,vpn_ip_v1,`,
          `${randomUUID()},too few,vpn_ip_v1`,
          `${randomUUID()},"unclosed,vpn_ip_v1,`,
          ",no uuid,vpn_ip_v1,",
          `${two},${two.toUpperCase()},vpn_ip_v1,`,
          `${randomUUID()},${"x".repeat(101)},vpn_ip_v1,`,
        ].join("\n"),
      );
      expect([exitCode, out]).toEqual([1, ""]);
      expect(err.split("\n")).toEqual([
        "line 3: the UUID must have 32 hexadecimal digits, with or without dashes",
        'line 4: there is no version "nope_v1"',
        expect.stringMatching(/^line 5: .*family/),
        "line 6: a legacy key needs at least one database id",
        expect.stringMatching(/^line 7: a key's name/),
        'line 8: there is no organization "Unknown"',
        "line 9: a legacy key with this UUID already exists",
        "line 10: the UUID is the same as on line 2",
        "line 11: it has 3 cells, but the first line has 4",
        "line 12: a quote is not closed, or appears inside a cell",
        "line 13: the uuid is missing",
        "line 14: the name is the UUID itself, which is a secret",
        expect.stringMatching(/^line 15: a key's name/),
        "Nothing was imported.",
        "",
      ]);
      for (const uuid of [one, two]) {
        expect(err.toLowerCase()).not.toContain(uuid);
        expect(await status(uuid)).toBe(401);
      }
      expect(await service.services.store.audit.list({ limit: 100 })).toEqual(audited);
      expect(await service.services.store.legacyKeys.list()).toEqual(known);
    });

    it("import reports problems of the whole file in one line", async () => {
      for (const [text, reason] of [
        ["", "line 1: the file is empty: its first line must name the columns uuid,name,ids,org"],
        ["uuid,name\n", "line 1: the column ids is missing"],
        ["uuid,name,ids,size\n", "line 1: column 4 is unknown: the first line must name the columns uuid,name,ids,org"],
        ["uuid,name,ids,name\n", "line 1: a column appears twice"],
        [`${one},first,vpn_ip_v1\n`, /^line 1: column 1 is unknown/],
        [`ids,name,uuid\n${one},first,vpn_ip_v1\n`, "line 2: an id is a UUID: are the columns mixed up?"],
      ] as const) {
        const { exitCode, err } = await importKeys(text);
        expect(exitCode).toBe(1);
        expect(err.split("\n")[0]).toMatch(reason);
        expect(err).not.toContain(one);
      }
      const json = await importKeys("uuid,name\n", "--json");
      const bad_lines = [{ line: 1, reason: "the column ids is missing" }];
      expect([json.exitCode, json.err, JSON.parse(json.out)]).toEqual([1, "", { imported: [], bad_lines }]);
      expect((await importKeys("uuid,name,ids\n")).err).toMatch(/there are no keys in the file\n$/);
      expect((await importKeys(Buffer.from("uuid,name,ids\n\xff", "latin1"))).err).toMatch(/is not UTF-8 text\n$/);
      const missing = await run("legacy-keys", "import", join(folder, "missing.csv"));
      expect([missing.exitCode, missing.err]).toEqual([
        1,
        expect.stringMatching(/missing.csv: no such file or directory\n$/),
      ]);
    });

    it("create --uuid accepts a UUID in any notation, and refuses it a second time", async () => {
      const argv = ["legacy-keys", "create", "--name", "old", "--ids", "vpn_ip_v1", "--uuid"];
      const { exitCode, out } = await run(...argv, three, "--json");
      expect(exitCode).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ key: three, name: "old", database_ids: ["vpn_ip_v1"] });
      expect(await status(three)).toBe(200);
      expect(await status(three.replaceAll("-", "").toLowerCase())).toBe(200);
      const again = await run(...argv, three.toLowerCase());
      expect([again.exitCode, again.err]).toEqual([
        1,
        expect.stringMatching(/a legacy key with this UUID already exists\n$/),
      ]);
      expect((await run(...argv, "nonsense")).exitCode).toBe(2);
    });

    it("history --api v1 shows who still uses v1: organization, key, database and client address", async () => {
      await importKeys(`uuid,name,ids,org\n${one},old cron,vpn_ip_v1,"Acme, Inc."\n`);
      const url = `${service.apiUrl}/api/v1/database/download?id=vpn_ip_v1&format=mmdb&apikey=${one}`;
      await call(url, { headers: { "user-agent": "wget/1.21" } });
      await call(`${service.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb`);
      const { out } = await run("history", "--api", "v1");
      const [, row = "", ...rest] = out.split("\n");
      expect(rest).toEqual([""]);
      for (const text of ["v1", "vpn_ip_v1", "Acme, Inc.", '"old cron"', "ok", "200", "127.0.0.1", "wget/1.21"]) {
        expect(row).toContain(text);
      }
      expect(row).not.toContain(one);
      const [{ id }] = JSON.parse((await run("legacy-keys", "list", "--json")).out);
      const attempts = JSON.parse((await run("history", "--api", "v1", "--key", id, "--json")).out);
      expect(attempts).toMatchObject([{ api: "v1", organization_id: organization, apikey_id: id, http_status: 200 }]);
    });
  });
}
