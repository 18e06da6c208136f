import { OperatorUsageLine, OperatorUsageReport } from "@dbdepot/contract/operator/usage";
import { Value } from "typebox/value";
import { beforeAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { updateUsage } from "../../src/domain/usage/update.ts";
import { attemptAt } from "../adapters/sql/samples.ts";
import { terminalOn } from "./terminal.ts";

const JANUARY = new Date("2027-01-10T12:00:00Z");
const FEBRUARY = new Date("2027-02-03T12:00:00Z");
/** January is closed then, February is not. */
const NOW = new Date("2027-02-04T00:00:00Z");
const PERIOD = ["--from", "2027-01-01", "--to", "2027-03-01"];

for (const engine of eitherEngine()) {
  describe(`usage on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    let ids: string[];

    beforeAll(async () => {
      expect((await terminal.run("usage", ...PERIOD)).out).toBe(
        "No downloads found.\n\nNothing has been counted yet: a running server does it every minute.\n",
      );
      await terminal.run("families", "add", "vpn_ip", "--name", "VPN");
      await terminal.run("versions", "add", "vpn_ip_v1", "--summary", "Exits", "--formats", "csvgz,mmdb");
      ids = [];
      for (const name of ["Acme", "Globex, Inc."]) {
        ids.push((await terminal.json<{ id: string }>("orgs", "add", name)).id);
      }
      const [organizationId = "", other = ""] = ids;
      const { store } = terminal.opened;
      await store.attempts.append([
        attemptAt(JANUARY, { organizationId, keyId: "a", buildId: "1", bytes: 2048 }),
        attemptAt(JANUARY, { organizationId, keyId: "b", buildId: "1", bytes: 2048 }),
        attemptAt(JANUARY, { organizationId, keyId: "a", datasetId: "invented_v1", outcome: "unknown", bytes: null }),
        attemptAt(FEBRUARY, { organizationId: other, keyId: "c", buildId: "1", bytes: 2048, format: "csvgz" }),
      ]);
      expect(await updateUsage({ usage: store.usage, clock: () => NOW, by: "the test" })).toBe(true);
    });

    it("prints a line per month and organization, their sum, and how to read it", async () => {
      expect(await terminal.run("usage", ...PERIOD)).toEqual({
        exitCode: 0,
        err: "",
        out: `\
MONTH    ORGANIZATION  NEW BUILDS  REPEATS  REFUSED  BYTES    SAVED  KEYS/DAY  ADDRESSES/DAY  STATE
2027-02  Globex, Inc.  1           0        0        2.0 KiB  0 B    1         1              open
2027-01  Acme          1           1        1        4.0 KiB  0 B    2         1              closed
TOTAL                  2           1        1        6.0 KiB  0 B    2         1

Counted up to 2027-02-04 00:00:00Z, without samples. KEYS and ADDRESSES are the largest number on one day.
`,
      });
    });

    it("prints days, or databases with requests for unknown ones, of one organization", async () => {
      const january = ["--org", "Acme", "--from", "2027-01-01", "--to", "2027-02-01"];
      expect((await terminal.run("usage", "--by", "day", ...january)).out).toBe(`\
DAY         ORGANIZATION  NEW BUILDS  REPEATS  REFUSED  BYTES    SAVED  KEYS  ADDRESSES  STATE
2027-01-10  Acme          1           1        1        4.0 KiB  0 B    2     1          closed
TOTAL                     1           1        1        4.0 KiB  0 B    2     1

Counted up to 2027-02-04 00:00:00Z, without samples.
`);
      expect((await terminal.run("usage", "--by", "database", ...january)).out).toContain(`\
DATABASE   FORMAT  ORGANIZATION  NEW BUILDS  REPEATS  REFUSED  BYTES    SAVED  KEYS/DAY  ADDRESSES/DAY  STATE
(unknown)          Acme          0           0        1        0 B      0 B    1         1              closed
vpn_ip_v1  mmdb    Acme          1           1        0        4.0 KiB  0 B    2         1              closed
TOTAL                            1           1        1        4.0 KiB  0 B    2         1
`);
    });

    it("prints the same lines as CSV and JSON", async () => {
      const { out } = await terminal.run("usage", "--csv", ...PERIOD);
      expect(out).toBe(
        [
          Object.keys(OperatorUsageLine.properties).join(","),
          `${ids[1]},"Globex, Inc.",2027-02,,,1,0,0,2048,0,1,1,false`,
          `${ids[0]},Acme,2027-01,,,1,1,1,4096,0,2,1,true`,
          "",
        ].join("\n"),
      );
      const report = await terminal.json<OperatorUsageReport>("usage", ...PERIOD);
      expect(Value.Check(OperatorUsageReport, report)).toBe(true);
      expect(report).toMatchObject({
        usage: [{ organization_id: ids[1] }, { organization_id: ids[0], bytes: 4096, closed: true }],
        totals: { first_downloads: 2, repeats: 1, refused: 1, bytes: 6144 },
        from: "2027-01-01",
        to: "2027-03-01",
        final_until: "2027-02-01",
      });
    });
  });
}
