import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { skipUnless } from "../../../../../../rigs/harness/needs.ts";
import { Random } from "../../../../../../rigs/harness/random.ts";
import type { Customer } from "../../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../../../src/domain/builds/publishing/publish-files.ts";
import { rollBack, withdrawBuild } from "../../../../src/domain/builds/rollback.ts";
import { updateVersion } from "../../../../src/domain/catalogue/catalogue.ts";
import { tableBuild } from "../../../domain/sharing/table-build.ts";
import { type Call, Connector, type Outcome } from "./connector.ts";

const SOURCE = process.env.DBDEPOT_TEST_DELTA_SHARING;
const required = skipUnless(SOURCE !== undefined, "the connector of Delta Sharing");

const COLUMNS = {
  ip: "ip",
  asn: "uint32",
  isp: "string",
  risk: "int32",
  hits: "int64",
  score: "double",
  vpn: "boolean",
  first_seen: "date",
  updated: "timestamp",
};
const SEEDS = [1, 2, 3];

type Rows = ReadonlyMap<string, readonly string[]>;

/** A version of the table, as the operations on the versions' builds say. */
interface TableVersion {
  buildId: string;
  baseBuildId: string | undefined;
}

/** A random history of a table. Keeps the rows of every CSV. */
class History {
  readonly id: string;
  readonly rows = new Map<string, Rows>();
  readonly withdrawn = new Set<string>();
  readonly versions: TableVersion[] = [];
  readonly #test: TestService;
  readonly #random: Random;

  constructor(test: TestService, id: string, random: Random) {
    this.#test = test;
    this.id = id;
    this.#random = random;
  }

  async run(): Promise<void> {
    const middle = ["publish", "rollBack", "withdraw"] as const;
    const shuffled = middle.map((step) => ({ step, order: this.#random.next() })).sort((a, b) => a.order - b.order);
    const steps = ["publish", "publish", "publish", ...shuffled.map(({ step }) => step), "publish", "publish"] as const;
    for (const step of steps) {
      this.#test.clock.advance("10 seconds");
      await this.#take(step);
      await this.#written();
    }
  }

  rowsAt(number: number): Rows {
    return this.rows.get(this.#version(number).buildId) as Rows;
  }

  canBeRead(number: number): boolean {
    return !this.withdrawn.has(this.#version(number).buildId);
  }

  /** Changes contain rows of the build before. */
  hasChanges(number: number): boolean {
    const { buildId, baseBuildId = "" } = this.#version(number);
    return !this.withdrawn.has(buildId) && !this.withdrawn.has(baseBuildId);
  }

  #version(number: number): TableVersion {
    return this.versions[number - 1] as TableVersion;
  }

  async #take(step: "publish" | "rollBack" | "withdraw"): Promise<void> {
    const operation = this.#test.operator.operation();
    if (step === "rollBack") await rollBack(operation, { versionId: this.id });
    else if (step === "withdraw") {
      const build = this.#random.pick([...this.rows.keys()]);
      await withdrawBuild(operation, build);
      this.withdrawn.add(build);
    } else {
      const rows = this.#changed(this.rows.get(this.versions.at(-1)?.buildId ?? "") ?? new Map());
      const { document, files } = tableBuild(this.id, COLUMNS, [...rows.values()]);
      const { objects } = this.#test.service.services;
      const { build } = await publishFiles(
        { operation: async () => operation, objects },
        { versionId: this.id, document, files: { csvgz: chunksOf(files.csvgz as Buffer) }, force: true },
      );
      this.rows.set(build.id, rows);
    }
  }

  /** Waits until the table has the current build. */
  async #written(): Promise<void> {
    const { jobs, store } = this.#test.service.services;
    const current = (await store.versions.byId(this.id))?.currentBuildId as string;
    const base = this.versions.at(-1)?.buildId;
    if (current !== base) this.versions.push({ buildId: current, baseBuildId: base });
    jobs.wake();
    await expect
      .poll(async () => (await store.sharing.latest(this.id))?.buildId, { timeout: 60_000, interval: 50 })
      .toBe(current);
    await this.#test.operator.settle();
  }

  /** Adds, removes and changes rows. */
  #changed(before: Rows): Rows {
    const random = this.#random;
    const rows = new Map<string, readonly string[]>();
    for (let last = 0; last < 256; last++) {
      const ip = `192.0.2.${last}`;
      const row = before.get(ip);
      if (row && random.chance(0.7)) rows.set(ip, row);
      else if (random.chance(row ? 0.7 : 0.3)) rows.set(ip, [ip, ...this.#cells()]);
    }
    return rows;
  }

  #cells(): string[] {
    const random = this.#random;
    const [day, micros] = [random.integer(10, 28), random.integer(100_000, 999_999)];
    const cells = [
      random.integer(0, 2 ** 32 - 1),
      random.pick(["Example, Inc.", 'The "best" ISP', "Zürich 網路 🛰", " spaces ", "two\nlines", "null", "NaN", "0"]),
      random.integer(-(2 ** 31), 2 ** 31 - 1),
      random.integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      random.next() * 10 ** random.integer(-20, 20),
      random.chance(0.5),
      `${random.integer(1900, 2200)}-02-${day}`,
      `2026-10-${day}T23:59:59.${micros}+00:00`,
    ];
    // One table has no empty cells, because pandas has other types for columns without them.
    const empty = this.id === "some1_ip_v1" ? 0 : 0.1;
    return cells.map((cell) => (random.chance(empty) ? "" : String(cell)));
  }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** The cells of a row of a CSV, as pandas has them. */
function valuesOf(row: readonly string[]): unknown[] {
  return Object.values(COLUMNS).map((type, index) => {
    const cell = row[index] as string;
    if (cell === "") return null;
    if (type === "boolean") return cell === "true";
    return ["uint32", "int32", "int64", "double"].includes(type) ? Number(cell) : cell;
  });
}

/** The rows that differ, with how they do. A row without a row before was inserted, and so on. */
function changesBetween(before: Rows | undefined, after: Rows): unknown[][] {
  const ips = new Set([...(before?.keys() ?? []), ...after.keys()]);
  return [...ips].flatMap((ip) => {
    const [old, now] = [before?.get(ip), after.get(ip)];
    if (old?.join("|") === now?.join("|")) return [];
    return [
      ...(old ? [[...valuesOf(old), now ? "update_preimage" : "delete"]] : []),
      ...(now ? [[...valuesOf(now), old ? "update_postimage" : "insert"]] : []),
    ];
  });
}

const inAnyOrder = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

for (const stage of stages()) {
  describe(`The official connector of Delta Sharing on ${stage.name}`, required, () => {
    let test: TestService;
    let acme: Customer;
    let connector: Connector;

    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      connector = await Connector.open(SOURCE as string);
    });
    afterAll(async () => {
      await connector.close();
      await test.dispose();
    });

    async function newHistory(seed: number): Promise<History> {
      const { operator } = test;
      const id = `some${seed}_ip_v1`;
      await operator.addDatabase(id, { formats: ["csvgz"] });
      await updateVersion(operator.operation(), id, { tables: true });
      await operator.grant("Acme", `some${seed}_ip`);
      const history = new History(test, id, new Random(seed));
      await history.run();
      return history;
    }

    it.each(SEEDS)("reads every version, and the changes between all of them (history %i)", async (seed) => {
      const history = await newHistory(seed);
      const recorded = await test.service.services.store.sharing.versions(history.id);
      const numbers = history.versions.map((_, index) => index + 1);
      const newest = numbers.length;
      const profile = await connector.profileOf(acme);
      const name = `some${seed}_ip.default.${history.id}`;
      const url = `${profile}#${name}`;

      const checks: { call: Call; check(outcome: Outcome): void }[] = [];
      const expectTo = (call: string, values: Call["arguments"], check: (outcome: Outcome) => void) =>
        checks.push({ call: { name: call, arguments: values }, check });
      const gone = (message: string) => (outcome: Outcome) => {
        // Python prints a long string as several ones.
        const error = outcome.error?.replaceAll(/['"]\s+['"]/g, "");
        expect(error).toContain("410 Client Error");
        expect(error).toContain("'errorCode': 'VERSION_GONE'");
        expect(error).toContain(message);
      };
      const returns = (result: unknown) => (outcome: Outcome) => expect(outcome).toEqual({ result });

      expectTo("list_all_tables", { profile }, ({ result }) => expect(result).toContain(name));
      expectTo("get_table_version", { url }, returns(newest));
      const columns = Object.keys(COLUMNS);
      const rowsOf = (number: number) => [...history.rowsAt(number).values()].map(valuesOf);
      expectTo("load_as_pandas", { url }, returns({ columns, rows: rowsOf(newest) }));
      for (const limit of [0, 1, 10]) {
        expectTo("load_as_pandas", { url, limit }, returns({ columns, rows: rowsOf(newest).slice(0, limit) }));
      }
      const oldest = numbers.find((number) => history.canBeRead(number));
      for (const version of numbers) {
        const timestamp = recorded[version - 1]?.created.toISOString() as string;
        const check = history.canBeRead(version)
          ? returns({ columns, rows: rowsOf(version) })
          : gone(`The oldest version that can be read is ${oldest}.`);
        expectTo("load_as_pandas", { url, version }, check);
        expectTo("load_as_pandas", { url, timestamp }, check);
      }
      const broken = numbers.findLast((number) => !history.hasChanges(number)) ?? 0;
      for (const first of numbers) {
        for (const last of numbers.slice(first - 1)) {
          const range = { url, starting_version: first, ending_version: last };
          const wanted = numbers.slice(first - 1, last);
          if (!wanted.every((number) => history.hasChanges(number))) {
            expectTo("load_table_changes_as_pandas", range, gone(`The oldest version to start from is ${broken + 1}.`));
            continue;
          }
          const rows = wanted.flatMap((number) =>
            changesBetween(number > 1 ? history.rowsAt(number - 1) : undefined, history.rowsAt(number)).map((row) => [
              ...row,
              number,
              recorded[number - 1]?.created.getTime(),
            ]),
          );
          expectTo("load_table_changes_as_pandas", range, ({ error, result }) => {
            expect(error).toBeUndefined();
            const found = result as { columns: string[]; rows: unknown[][] };
            expect(found.columns).toEqual([...columns, "_change_type", "_commit_version", "_commit_timestamp"]);
            expect(inAnyOrder(found.rows)).toEqual(inAnyOrder(rows));
          });
        }
      }
      const { versions, results } = await connector.call(checks.map(({ call }) => call));
      process.stderr.write(`${JSON.stringify(versions)}: ${results.length} calls, ${newest} versions\n`);
      checks.forEach(({ check, call }, index) => {
        expect.soft(() => check(results[index] as Outcome), JSON.stringify(call)).not.toThrow();
      });
    });
  });
}
