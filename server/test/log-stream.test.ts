import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LogStream } from "../src/log-stream.ts";

const source = new URL("../src/log-stream.ts", import.meta.url);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-log-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("lines come out whole, in their order, and soon", async () => {
  const path = join(folder, "log");
  const fd = openSync(path, "w");
  const log = new LogStream(fd);
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} ü\n`);
  for (const line of lines) log.write(line);
  await expect.poll(() => readFileSync(path, "utf8").length).toBe(lines.join("").length);
  expect(readFileSync(path, "utf8")).toBe(lines.join(""));
  log.write("one more\n");
  await delay(300);
  expect(readFileSync(path, "utf8").endsWith("one more\n")).toBe(true);
  closeSync(fd);
});

it("lines that keep coming are written together, not each as soon as the one before is out", async () => {
  const script = `const { LogStream } = await import(${JSON.stringify(source.href)});
    const log = new LogStream(1);
    const end = Date.now() + 1000;
    let count = 0;
    const lines = setInterval(() => {
      for (let i = 0; i < 10; i += 1) log.write(count++ + "\\n");
      if (Date.now() >= end) clearInterval(lines);
    }, 1);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const writes: string[] = [];
  for await (const written of child.stdout.setEncoding("utf8")) writes.push(written as string);
  const text = writes.join("");
  const count = text.split("\n").length - 1;
  expect(count).toBeGreaterThan(100);
  expect(text).toBe(Array.from({ length: count }, (_, i) => `${i}\n`).join(""));
  // Every tenth of a second, and once more at the end.
  expect(writes.length).toBeLessThanOrEqual(12);
});

it("the last lines come out when the process ends", () => {
  const script = `const { LogStream } = await import(${JSON.stringify(source.href)}); new LogStream(1).write("last words\\n"); process.exit();`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  expect(stdout).toBe("last words\n");
});

it("a full pipe is waited for: nothing is lost or repeated", () => {
  const script = `const { LogStream } = await import(${JSON.stringify(source.href)});
    const log = new LogStream(1);
    for (let i = 0; i < 200_000; i += 1) log.write(i + "\\n");
    setTimeout(() => {}, 1500);`;
  const shell = `"${process.execPath}" --input-type=module --eval '${script}' | (sleep 0.5; cat)`;
  const { stdout } = spawnSync("sh", ["-c", shell], { encoding: "utf8", maxBuffer: 1 << 26 });
  expect(stdout).toBe(Array.from({ length: 200_000 }, (_, i) => `${i}\n`).join(""));
});
