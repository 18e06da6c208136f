import { expect, it } from "vitest";
import { kill, killGroup } from "../processes.ts";

it.each([undefined, 0, -1, 1, Number.NaN])(
  "refuses to signal %j, which is not a process that a test has started",
  (pid) => {
    // SIGCONT does no harm if it is sent after all.
    expect(() => kill(pid, "SIGCONT")).toThrow(`${pid} is not a process to signal`);
    expect(() => killGroup(pid, "SIGCONT")).toThrow(`${pid} is not a process to signal`);
  },
);

it("signals others", () => {
  kill(process.pid, "SIGCONT");
  expect(() => kill(2 ** 22 + 1, "SIGCONT")).toThrow("ESRCH");
});
