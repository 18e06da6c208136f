import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { createLog, logTo } from "../../../src/platform/runtime/log.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Runs a script in its own process, with a `log` that writes to standard output. */
function start(script: string, stdout: "pipe" | number = "pipe"): Child {
  const source = JSON.stringify(new URL("../../../src/platform/runtime/log.ts", import.meta.url).href);
  const prelude = `const { createLog } = await import(${source}); const log = createLog("info");`;
  return spawn(process.execPath, ["--input-type=module", "--eval", `${prelude}\n${script}`], {
    stdio: ["pipe", stdout, "pipe"],
  }) as Child;
}

/** Runs a script when SIGTERM arrives, as `serve` does. Resolves when the child waits for the signal. */
async function startWaiting(script: string): Promise<Child> {
  const source = JSON.stringify(new URL("../../../src/platform/runtime/processes.ts", import.meta.url).href);
  const child = start(`const { stopSignal } = await import(${source});
    const timer = setInterval(() => {}, 1000);
    const stopped = stopSignal();
    process.stderr.write("ready");
    await stopped;
    clearInterval(timer);
    ${script}`);
  await once(child.stderr, "data");
  return child;
}

async function finish(child: Child): Promise<{ out: string; err: string; exitCode: number }> {
  const [out, err, [exitCode]] = await Promise.all([
    child.stdout ? text(child.stdout) : "",
    text(child.stderr),
    once(child, "close"),
  ]);
  return { out, err, exitCode };
}

function messages(lines: string): string[] {
  const parsed = lines
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return parsed.map(({ msg }) => msg);
}

describe("Log line", () => {
  it("has a level and a time, and hides the requests and queries of errors", () => {
    const lines: string[] = [];
    const log = logTo({ write: (line) => void lines.push(line) }, "info");
    log.warn({ err: { code: "EFAIL", config: "secret", query: "secret" } }, "hello");
    log.debug("not at this level");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: "warn",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        err: { code: "EFAIL", config: "[Redacted]", query: "[Redacted]" },
        msg: "hello",
      },
    ]);
  });

  it("is written while the process keeps running, even if nothing else is logged", async () => {
    const child = start(`log.info("alone"); process.stdin.resume();`);
    const [line] = await once(createInterface(child.stdout), "line");
    expect(JSON.parse(line)).toMatchObject({ level: "info", msg: "alone" });
    child.stdin.end();
    expect((await finish(child)).exitCode).toBe(0);
  });

  it("is not lost on a normal exit", async () => {
    const { out, exitCode } = await finish(start(`log.info("first"); log.info("last");`));
    expect([messages(out), exitCode]).toEqual([["first", "last"], 0]);
  });

  it("is not lost on process.exit", async () => {
    const { out, exitCode } = await finish(start(`log.info("last"); process.exit(3);`));
    expect([messages(out), exitCode]).toEqual([["last"], 3]);
  });

  it("is not lost on SIGTERM", async () => {
    const child = await startWaiting(`log.info("stopping");`);
    child.kill("SIGTERM");
    const { out, exitCode } = await finish(child);
    expect([messages(out), exitCode]).toEqual([["stopping"], 0]);
  });

  it("is not lost on an uncaught exception", async () => {
    const { out, err, exitCode } = await finish(start(`log.info("before the crash"); throw new Error("crash");`));
    expect([messages(out), exitCode]).toEqual([["before the crash"], 1]);
    expect(err).toContain("Error: crash");
  });
});

describe("Log", () => {
  it("listens for the end of the process once, however many logs there are", () => {
    createLog("info");
    const events = ["exit", "beforeExit"] as const;
    const before = events.map((event) => process.listenerCount(event));
    for (let i = 0; i < 20; i += 1) createLog("warn");
    expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  });

  it("arrives completely and in order if the reader is slow", async () => {
    const child = start(`for (let i = 0; i < 50_000; i += 1) log.info(String(i)); process.stderr.write("ready");`);
    await once(child.stderr, "data");
    const { out } = await finish(child);
    expect(messages(out)).toEqual(Array.from({ length: 50_000 }, (_, i) => String(i)));
  });

  it("drops lines instead of using unlimited memory while nothing reads it, and reports that afterwards", async () => {
    const child =
      start(`for (let i = 0; i < 300_000; i += 1) log.info("a line of about a hundred bytes, time included");
      process.stderr.write("ready"); process.stdin.resume();`);
    await once(child.stderr, "data");
    child.stdin.end();
    const lines = messages((await finish(child)).out);
    expect(lines.length).toBeLessThan(300_000);
    expect(lines).toContain("log lines were dropped because the reader of the log is too slow");
  });

  it("does not keep the process alive after its reader has closed the pipe", async () => {
    const child = await startWaiting(`log.info("lost");`);
    child.stdout.destroy();
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(0);
  });

  it("neither stops the process nor keeps it alive on a full disk", needs("Linux"), async () => {
    await using full = await open("/dev/full", "w");
    const script = `log.info("lost"); log.flush((error) => { process.stderr.write(error.code); process.exit(); });`;
    const { err, exitCode } = await finish(start(script, full.fd));
    expect([err, exitCode]).toEqual(["ENOSPC", 0]);
  });
});
