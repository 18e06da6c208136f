import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { PRODUCTS } from "../../../../scripts/release/trees.ts";

const PACKAGES = join(import.meta.dirname, "../../../../deploy/packages");
const read = (...path: string[]) => readFileSync(join(PACKAGES, ...path), "utf8");
const UNITS = PRODUCTS.flatMap(({ directory, units }) =>
  units.map((name) => ({ directory, name, text: read(directory, name) })),
);
const SERVICES = UNITS.filter(({ name }) => name.endsWith(".service"));

describe.each(PRODUCTS)("The package $name", ({ directory, units }) => {
  it("contains every unit in its directory", () => {
    const files = readdirSync(join(PACKAGES, directory)).filter((name) => name.includes("."));
    expect([...units].sort(), "List the units of deploy/packages in PRODUCTS in scripts/release/trees.ts").toEqual(
      files.sort(),
    );
  });

  it("stops the units that an administrator can enable when it is removed, and neither enables them nor migrates when it is installed", () => {
    const enabled = UNITS.filter((unit) => unit.directory === directory && unit.text.includes("\n[Install]\n"));
    const [, stopped = ""] = /systemctl disable --now (.*); fi$/m.exec(read(directory, "prerm")) ?? [];
    expect(stopped.split(" "), `deploy/packages/${directory}/prerm must disable them`).toEqual(
      enabled.map(({ name }) => name),
    );
    const commands = read(directory, "postinst").replaceAll(/^#.*$/gm, "");
    expect(commands).not.toMatch(/systemctl (?!daemon-reload)|migrate/);
  });

  it("creates the user of its services", () => {
    const users = SERVICES.filter((unit) => unit.directory === directory).map(
      ({ text }) => /^User=(.*)$/m.exec(text)?.[1],
    );
    for (const user of new Set(users))
      expect(read(directory, "postinst")).toMatch(new RegExp(`useradd .* ${user}$`, "m"));
  });
});

describe("systemd", needs("systemd-analyze"), () => {
  const folder = mkdtempSync(join(tmpdir(), "dbdepot-systemd-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  // With an executable that exists on this machine.
  for (const { name, text } of UNITS)
    writeFileSync(join(folder, name), text.replaceAll(/\/usr\/bin\/dbdepot[a-z-]*/g, process.execPath));

  function analyze(name: string, command: string, ...options: string[]) {
    const { status, stderr } = spawnSync("systemd-analyze", [command, ...options, join(folder, name)], {
      encoding: "utf8",
    });
    return { status, stderr };
  }

  it.each(UNITS)("accepts $name without a warning", ({ name }) => {
    expect(analyze(name, "verify", "--man=no")).toEqual({ status: 0, stderr: "" });
  });

  it.each(SERVICES)("finds an exposure level below 2.0 in $name", ({ name }) => {
    expect(analyze(name, "security", "--offline=true", "--threshold=20")).toMatchObject({ status: 0 });
  });
});

it.each(SERVICES)("$name disables core dumps, which would contain keys", ({ text }) => {
  expect(text).toMatch(/^LimitCORE=0$/m);
});

it("dbdepot-server.service gives running responses more time to finish than the server takes by default", () => {
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(read("server", "dbdepot-server.service"))?.[1]);
  expect(seconds).toBeGreaterThan(30);
});
