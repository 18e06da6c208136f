import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keepOldCopy } from "../../src/command/sync/old-copies.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-copies-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("makes one copy if concurrent syncs keep the same file", async () => {
  const path = join(folder, "vpn_ip_v1.mmdb");
  await writeFile(path, "a build");
  const copies = await Promise.all(Array.from({ length: 8 }, () => keepOldCopy(path, "mmdb", "2026-11-01")));
  const copy = join(folder, "vpn_ip_v1.2026-11-01.mmdb");
  expect(new Set(copies.map((kept) => kept?.path))).toEqual(new Set([copy]));
  expect(await readdir(folder)).toHaveLength(2);
});

it("names a copy after the modification time if the recorded date is not a date", async () => {
  const path = join(folder, "sub", "bogon_ip_v1.mmdb");
  await mkdir(join(folder, "sub", "bogon_ip_v1."), { recursive: true });
  await writeFile(path, "a build");
  const copy = await keepOldCopy(path, "mmdb", "/../../evil");
  expect(copy?.path).toMatch(/\/sub\/bogon_ip_v1\.\d{4}-\d{2}-\d{2}\.mmdb$/);
});
