import { expect, it, onTestFinished } from "vitest";
import { engineNamed } from "../../../../rigs/harness/service/engines.ts";
import { newId } from "../../src/platform/primitives/ids.ts";
import { attemptAt } from "../adapters/sql/samples.ts";
import { PAGES } from "./pages.ts";

it("docs/operate/sizing.md partitions the history by month and keeps every attempt", async () => {
  const page = PAGES.find(({ path }) => path === "docs/operate/sizing.md");
  const [sql, ...more] = page?.blocks.filter(({ info }) => info === "sql") ?? [];
  expect(more).toEqual([]);
  const { store, query, dispose } = await engineNamed("postgres").open();
  onTestFinished(dispose);
  const organizationId = newId(new Date());
  const december = attemptAt(new Date("2026-12-31T23:59:59.999Z"), { organizationId });
  const january = attemptAt(new Date("2027-01-01T00:00:00.000Z"), { organizationId });
  const february = attemptAt(new Date("2027-02-01T00:00:00.000Z"), { organizationId });
  await store.attempts.append([december]);
  await query(sql?.code ?? "");
  await store.attempts.append([january, february]);
  expect(await store.attempts.list({ organizationId, limit: 9 })).toEqual([february, january, december]);
  expect(await query("select tableoid::regclass::text as partition, id from attempts order by id")).toEqual([
    { partition: "attempts_before", id: december.id },
    { partition: "attempts_2027_01", id: january.id },
    { partition: "attempts_later", id: february.id },
  ]);
});
