import { describe, expect, it, vi } from "vitest";
import { formatBytes, formatRows } from "../src/format.ts";
import { Output } from "../src/output.ts";
import { Progress } from "../src/progress.ts";

const MIB = 1024 * 1024;

function progressOn(columns: number | undefined) {
  const printed: string[] = [];
  const clock = { nowMs: 0 };
  const progress = new Progress({
    write: (text) => printed.push(text),
    columns: () => columns,
    nowMs: () => clock.nowMs,
  });
  return { printed, clock, progress };
}

describe("the progress of several tasks", () => {
  it("is a bar for each task and one for the total, redrawn in place and erased at the end", () => {
    const { printed, clock, progress } = progressOn(80);
    const [one, two] = [progress.begin("vpn_ip_v1.mmdb"), progress.begin("bogon_ip_v1.mmdb")];
    clock.nowMs = 1000;
    one.update(MIB, 4 * MIB);
    expect(printed).toEqual([
      [
        "vpn_ip_v1.mmdb: 25 % of 4.0 MiB, 1.0 MiB/s, 3 s left [######..................]",
        "bogon_ip_v1.mmdb: 0 B, 0 B/s",
        "all 2: 1.0 MiB, 1.0 MiB/s",
      ].join("\n"),
    ]);
    clock.nowMs = 2000;
    two.update(2 * MIB, 4 * MIB);
    expect(printed[1]).toBe("\r\x1b[2A\x1b[J");
    expect(printed[2]?.split("\n")[2]).toMatch(/^all 2: 37 % of 8\.0 MiB, 1\.5 MiB\/s, 3 s left +\[#+\.+\]$/);
    one.end();
    expect(printed[3]).toBe("\r\x1b[2A\x1b[J");
    clock.nowMs = 3000;
    two.update(4 * MIB, 4 * MIB);
    expect(printed[4]).toMatch(/^bogon_ip_v1\.mmdb: 100 %.*$/);
    two.end();
    expect(printed.slice(5)).toEqual(["\r\x1b[J"]);
  });

  it("redraws at most ten times a second", () => {
    const { printed, clock, progress } = progressOn(80);
    const task = progress.begin("vpn_ip_v1.mmdb");
    clock.nowMs = 150;
    task.update(1, 10);
    task.update(2, 10);
    expect(printed).toHaveLength(1);
  });

  it("is a line for each task every five seconds if there is no terminal", () => {
    const { printed, clock, progress } = progressOn(undefined);
    const task = progress.begin("vpn_ip_v1.mmdb");
    for (clock.nowMs = 1000; clock.nowMs <= 10_000; clock.nowMs += 1000) task.update(clock.nowMs, 20_000);
    task.end();
    expect(printed).toEqual([
      "vpn_ip_v1.mmdb: 25 % of 19.5 KiB, 1000 B/s, 15 s left\n",
      "vpn_ip_v1.mmdb: 50 % of 19.5 KiB, 1000 B/s, 10 s left\n",
    ]);
  });

  it("does not count resumed bytes towards the speed", () => {
    const { printed, clock, progress } = progressOn(undefined);
    const task = progress.begin("vpn_ip_v1.mmdb");
    clock.nowMs = 5000;
    task.update(15_000, 20_000, 10_000);
    expect(printed[0]).toContain("75 % of 19.5 KiB, 1000 B/s, 5 s left");
  });

  it("aligns the bars, and drops them if the terminal is too narrow", () => {
    for (const [columns, lines] of [
      [
        50,
        ["short.mmdb: 50 % of 2.0 MiB, 1.0 MiB/s, 1 s left", "longer.mmdb: 0 B, 0 B/s", "all 2: 1.0 MiB, 1.0 MiB/s"],
      ],
      [40, ["short.mmdb: 50 %, 1 s left", "longer.mmdb: 0 B, 0 B/s", "all 2: 1.0 MiB, 1.0 MiB/s"]],
    ] as const) {
      const { printed, clock, progress } = progressOn(columns);
      const [short] = [progress.begin("short.mmdb"), progress.begin("longer.mmdb")];
      clock.nowMs = 1000;
      short.update(MIB, 2 * MIB);
      expect(printed[0]?.split("\n")).toEqual(lines);
    }
    const { printed, clock, progress } = progressOn(100);
    const [short, longer] = [progress.begin("short.mmdb"), progress.begin("longer.mmdb")];
    longer.update(0, MIB);
    clock.nowMs = 1000;
    short.update(MIB, 2 * MIB);
    expect(new Set(printed[0]?.split("\n").map((line) => line.indexOf("["))).size).toBe(1);
  });

  it("keeps every bar in one line on narrow terminals", () => {
    const { printed, clock, progress } = progressOn(40);
    const tasks = Array.from({ length: 12 }, (_, i) => progress.begin(`a_database_with_a_long_name_v${i}.mmdb`));
    clock.nowMs = 1000;
    tasks[0]?.update(MIB, 2 * MIB);
    const lines = printed[0]?.split("\n") ?? [];
    expect(lines).toHaveLength(9);
    expect(lines.every((line) => line.length < 40)).toBe(true);
    expect(lines.at(-1)).toBe("all 12: 1.0 MiB, 1.0 MiB/s");
  });
});

describe("the progress of one task", () => {
  it("is one line on a terminal, which is erased at the end", () => {
    const { printed, clock, progress } = progressOn(100);
    const task = progress.begin("publishing vpn_ip_v1", { total: 100 * MIB });
    clock.nowMs = 1000;
    task.advance(50 * MIB);
    clock.nowMs = 2000;
    task.advance(50 * MIB);
    task.end();
    task.end();
    expect(printed).toEqual([
      "publishing vpn_ip_v1: 50 % of 100.0 MiB, 50.0 MiB/s, 1 s left [############............]",
      "\r\x1b[J",
      "publishing vpn_ip_v1: 100 % of 100.0 MiB, 50.0 MiB/s, 0 s left [########################]",
      "\r\x1b[J",
    ]);
  });

  it("shows amount and speed in the task's unit if the total is unknown", () => {
    const { printed, clock, progress } = progressOn(100);
    const task = progress.begin("reading vpn.csv", { unit: formatRows });
    clock.nowMs = 1000;
    task.update(1000);
    expect(printed).toEqual(["reading vpn.csv: 1000 rows, 1000 rows/s"]);
  });

  it("shows hours and minutes for long tasks", () => {
    const { printed, clock, progress } = progressOn(undefined);
    const task = progress.begin("publishing vpn_ip_v1", { total: 20_000 * MIB });
    clock.nowMs = 10_000;
    task.advance(MIB);
    clock.nowMs = 20_000;
    task.advance(5000 * MIB);
    expect(printed[0]).toMatch(/0 % of 19\.5 GiB, 102\.4 KiB\/s, 55 h 33 min left/);
    expect(printed[1]).toMatch(/1 min 0 s left/);
  });
});

describe("formatBytes", () => {
  it("uses binary units", () => {
    expect([0, 1023, 1024, 1.5 * MIB, 5 * 1024 * MIB, 2 ** 60].map(formatBytes)).toEqual([
      "0 B",
      "1023 B",
      "1.0 KiB",
      "1.5 MiB",
      "5.0 GiB",
      "1048576.0 TiB",
    ]);
  });
});

describe("a message", () => {
  it("erases the progress bars first", async () => {
    let written = "";
    const process = {
      env: {},
      writeOut: () => {},
      writeErr: (text: string) => {
        written += text;
      },
      errColumns: 80,
    };
    const output = new Output(process, { program: "test", isJson: false });
    const task = output.progress().begin("vpn_ip_v1.mmdb", { total: 10 });
    // Bars are drawn at intervals.
    await vi.waitUntil(() => {
      task.update(5);
      return written.includes("50 %");
    });
    output.warn("careful");
    expect(written.endsWith("\r\x1b[Jtest: warning: careful\n")).toBe(true);
  });
});
