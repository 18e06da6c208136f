import { describe, expect, it } from "vitest";
import { ProgressBoard } from "../src/progress-board.ts";

const MIB = 1024 * 1024;

function boardOf(columns: number | undefined) {
  const said: string[] = [];
  const clock = { nowMs: 0 };
  const board = new ProgressBoard({
    say: (text) => said.push(text),
    columns: () => columns,
    nowMs: () => clock.nowMs,
  });
  return { said, clock, board };
}

describe("the progress of several things", () => {
  it("is a bar each, and one for all, drawn anew in their place and gone at the end", () => {
    const { said, clock, board } = boardOf(80);
    const [one, two] = [board.begin("vpn_ip_v1.mmdb"), board.begin("bogon_ip_v1.mmdb")];
    clock.nowMs = 1000;
    one.reach(MIB, 4 * MIB);
    expect(said).toEqual([
      [
        "vpn_ip_v1.mmdb: 25 % of 4.0 MiB, 1.0 MiB/s, 3 s left [######..................]",
        "bogon_ip_v1.mmdb: 0 B, 0 B/s",
        "all 2: 1.0 MiB, 1.0 MiB/s",
      ].join("\n"),
    ]);
    clock.nowMs = 2000;
    two.reach(2 * MIB, 4 * MIB);
    expect(said[1]).toBe("\r\x1b[2A\x1b[J");
    expect(said[2]?.split("\n")[2]).toMatch(/^all 2: 37 % of 8\.0 MiB, 1\.5 MiB\/s, 3 s left +\[#+\.+\]$/);
    one.end();
    expect(said[3]).toBe("\r\x1b[2A\x1b[J");
    clock.nowMs = 3000;
    two.reach(4 * MIB, 4 * MIB);
    expect(said[4]).toMatch(/^bogon_ip_v1\.mmdb: 100 %.*$/);
    two.end();
    expect(said.slice(5)).toEqual(["\r\x1b[J"]);
  });

  it("does not say it too often, and lets lines stand above the bars", () => {
    const { said, clock, board } = boardOf(80);
    const task = board.begin("vpn_ip_v1.mmdb");
    clock.nowMs = 150;
    task.reach(1, 10);
    task.reach(2, 10);
    expect(said).toHaveLength(1);
    board.print("bogon_ip_v1.mmdb: unchanged\n");
    expect(said.slice(1)).toEqual(["\r\x1b[J", "bogon_ip_v1.mmdb: unchanged\n"]);
  });

  it("is a line each now and then where lines stay", () => {
    const { said, clock, board } = boardOf(undefined);
    const task = board.begin("vpn_ip_v1.mmdb");
    for (clock.nowMs = 1000; clock.nowMs <= 10_000; clock.nowMs += 1000) task.reach(clock.nowMs, 20_000);
    task.end();
    expect(said).toEqual([
      "vpn_ip_v1.mmdb: 25 % of 19.5 KiB, 1000 B/s, 15 s left\n",
      "vpn_ip_v1.mmdb: 50 % of 19.5 KiB, 1000 B/s, 10 s left\n",
    ]);
  });

  it("does not take what was there before for speed", () => {
    const { said, clock, board } = boardOf(undefined);
    const task = board.begin("vpn_ip_v1.mmdb");
    clock.nowMs = 5000;
    task.reach(15_000, 20_000, 10_000);
    expect(said[0]).toContain("75 % of 19.5 KiB, 1000 B/s, 5 s left");
  });

  it("puts bars below each other, and says less where there is no room for one", () => {
    for (const [columns, lines] of [
      [
        50,
        ["short.mmdb: 50 % of 2.0 MiB, 1.0 MiB/s, 1 s left", "longer.mmdb: 0 B, 0 B/s", "all 2: 1.0 MiB, 1.0 MiB/s"],
      ],
      [40, ["short.mmdb: 50 %, 1 s left", "longer.mmdb: 0 B, 0 B/s", "all 2: 1.0 MiB, 1.0 MiB/s"]],
    ] as const) {
      const { said, clock, board } = boardOf(columns);
      const [short] = [board.begin("short.mmdb"), board.begin("longer.mmdb")];
      clock.nowMs = 1000;
      short.reach(MIB, 2 * MIB);
      expect(said[0]?.split("\n")).toEqual(lines);
    }
    const { said, clock, board } = boardOf(100);
    const [short, longer] = [board.begin("short.mmdb"), board.begin("longer.mmdb")];
    longer.reach(0, MIB);
    clock.nowMs = 1000;
    short.reach(MIB, 2 * MIB);
    expect(new Set(said[0]?.split("\n").map((line) => line.indexOf("["))).size).toBe(1);
  });

  it("keeps every bar in one line, however narrow the screen", () => {
    const { said, clock, board } = boardOf(40);
    const tasks = Array.from({ length: 12 }, (_, i) => board.begin(`a_database_with_a_long_name_v${i}.mmdb`));
    clock.nowMs = 1000;
    tasks[0]?.reach(MIB, 2 * MIB);
    const lines = said[0]?.split("\n") ?? [];
    expect(lines).toHaveLength(9);
    expect(lines.every((line) => line.length < 40)).toBe(true);
    expect(lines.at(-1)).toBe("all 12: 1.0 MiB, 1.0 MiB/s");
  });
});
