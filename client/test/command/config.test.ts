import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE } from "../../src/command/config/example.ts";
import { SETTINGS } from "../../src/command/config/settings.ts";
import { parseToml } from "../../src/command/config/toml.ts";
import { Desk } from "./desk.ts";

/** Without what the desk sets: all settings come from the file. */
const NOTHING = { DBDEPOT_URL: "", DBDEPOT_API_KEY: "", DBDEPOT_DIRECTORY: "", DBDEPOT_JITTER: "" };

describe("settings", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
    await desk.publish("vpn_ip_v1");
    await desk.publish("bogon_ip_v1");
    await writeFile(desk.path("our.key"), `  ${desk.customer.key}\n\n`, { mode: 0o600 });
  });
  afterAll(() => desk.dispose());

  async function config(name: string, text: string, mode = 0o644): Promise<string> {
    await writeFile(desk.path(name), text);
    await chmod(desk.path(name), mode);
    return desk.path(name);
  }

  it("come from a config file, whose paths are relative to it; the key file is trimmed", async () => {
    await mkdir(desk.path("etc"), { recursive: true });
    const path = await config(
      "etc/dbdepot.toml",
      `url = "${desk.customer.apiUrl}/"
key_file = "../our.key"
directory = "../from-config"
formats = ["csvgz"]
databases = ["vpn_ip_v1", { id = "bogon_ip_v1", formats = ["mmdb"], file = "bogons.mmdb" }]
jitter = "0"
`,
    );
    const { exitCode, out } = await desk.runWith(NOTHING, "sync", "--config", path);
    expect({ exitCode, out }).toMatchObject({ exitCode: 0 });
    expect((await stat(desk.path("from-config", "vpn_ip_v1.csv.gz"))).isFile()).toBe(true);
    expect((await stat(desk.path("from-config", "bogons.mmdb"))).isFile()).toBe(true);
    // Named on the command line, it is still what the file says about it.
    expect((await desk.runWith(NOTHING, "sync", "bogon_ip_v1", "--config", path)).out).toMatch(
      /^unchanged +bogons\.mmdb/,
    );
    for (const words of [["verify"], ["health"], ["doctor"], ["sync"]]) {
      expect((await desk.runWith({ ...NOTHING, DBDEPOT_CONFIG: path }, ...words)).exitCode).toBe(0);
    }
  });

  it("are found in the usual place", async () => {
    await mkdir(desk.path(".config/dbdepot"), { recursive: true });
    const path = await config(
      ".config/dbdepot/dbdepot.toml",
      `url = "${desk.customer.apiUrl}"\nkey_file = "../../our.key"\n`,
    );
    expect((await desk.runWith(NOTHING, "list")).exitCode).toBe(0);
    expect((await desk.runWith(NOTHING, "config")).out).toContain(`${path}:1`);
  });

  it("option before environment before file, and config tells which; never the secret", async () => {
    const path = await config("order.toml", 'url = "https://file.example"\nkeep = 1\nparallel = 3\nmax_age = "90s"\n');
    const environment = { DBDEPOT_PARALLEL: "4", DBDEPOT_CONFIG: path, DBDEPOT_URL: "" };
    const { out, exitCode } = await desk.runWith(environment, "config", "--url", "https://option.example");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^url +https:\/\/option\.example +--url$/m);
    expect(out).toMatch(/^parallel +4 +DBDEPOT_PARALLEL$/m);
    expect(out).toMatch(new RegExp(`^keep +1 +${path}:2$`, "m"));
    expect(out).toMatch(/^max_age +90s +/m);
    expect(out).toMatch(/^hook +\(none\) +-$/m);
    expect(out).toMatch(/^key +dbd_\w{8}_… +DBDEPOT_API_KEY$/m);
    const document = JSON.parse((await desk.runWith(environment, "config", "--json")).out);
    expect(document).toMatchObject({ config_file: path, settings: { keep: { value: "1", source: `${path}:2` } } });
    expect(Object.keys(document.settings)).toEqual(Object.keys(SETTINGS));
  });

  it("list every fault at once, with its line", async () => {
    const path = await config(
      "wrong.toml",
      [
        'url = "ftp://x"',
        "parallel = 99",
        'keep = "two"',
        'frequency = "1h"',
        "jitter = 5",
        "oops",
        'formats = ["zip"]',
        "databases = [",
        '  "vpn-ip",',
        '  { id = "a_v1", file = "x/y", formats = ["mmdb"] },',
        '  { id = "b_v1", file = "b.mmdb" },',
        "]",
        'interval = "1ms"',
        'delivery = "pigeon"',
        'hook = ""',
      ].join("\n"),
    );
    const { exitCode, out, err } = await desk.runWith(
      { ...NOTHING, DBDEPOT_KEEP: "" },
      "config",
      "check",
      "--config",
      path,
    );
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    const lines = err.trimEnd().split("\n");
    const said = (line: number) =>
      lines.filter((text) => text.startsWith(`dbdepot config check: ${path}:${line}: `)).join();
    expect(said(1)).toContain("url: this is no address");
    expect(said(2)).toContain("parallel: 99 is no whole number from 1 to 16");
    expect(said(3)).toContain("keep: this must be a whole number, without quotes");
    expect(said(4)).toContain('there is no setting "frequency"');
    expect(said(5)).toContain("jitter: this must be text in quotes");
    expect(said(6)).toContain('"oops" must be followed by "="');
    expect(said(7)).toContain('"zip" is none of mmdb, csvgz');
    expect(said(9)).toContain('"vpn-ip" is no id');
    expect(said(10)).toContain('"x/y" is no plain file name');
    expect(said(11)).toContain("exactly one format");
    expect(said(13)).toContain("too short");
    expect(said(14)).toContain('"pigeon" is none of redirect, stream');
    expect(said(15)).toContain("the command is empty");
    expect(lines).toHaveLength(13);
    expect(lines.map((text) => Number(/toml:(\d+)/.exec(text)?.[1]))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 13, 14, 15,
    ]);
    expect((await desk.run("sync", "--config", path)).exitCode).toBe(2);
    const doctor = await desk.runWith(NOTHING, "doctor", "--config", path);
    expect(doctor.out).toMatch(/^FAIL {2}settings: .*wrong\.toml:1: .* 12 more: "dbdepot config check" lists them$/m);
  });

  it.each([
    ['databases = ["a_v1", "a_v1"]', "a_v1 is there twice"],
    [
      'databases = ["a_v1", { id = "b_v1", formats = ["mmdb"], file = "a_v1.mmdb" }]',
      "would be the same file, a_v1.mmdb",
    ],
    ['[[databases]]\nid = "a_v1"\nname = "x"', 'a database has no "name"'],
    ['databases = "a_v1"', "this must be a list"],
    ["databases = [5]", "a database is an id"],
    ['[[databases]]\nformats = ["mmdb"]', "the database's id is missing"],
    ['url = "https://user:pass@depot.example"', "no user, password"],
  ])("refuse %j", async (text, says) => {
    const { exitCode, err } = await desk.runWith(
      NOTHING,
      "config",
      "check",
      "--config",
      await config("one.toml", text),
    );
    expect(exitCode).toBe(2);
    expect(err).toContain(says);
  });

  it("refuse a key in a config file that others can read, and take it from one that they cannot", async () => {
    const text = `url = "${desk.customer.apiUrl}"\nkey = "${desk.customer.key}"\n`;
    const path = await config("own.secret.toml", text, 0o640);
    const { exitCode, err } = await desk.runWith(NOTHING, "list", "--config", path);
    expect(exitCode).toBe(2);
    expect(err).toContain(`own.secret.toml:2: the key can be read by others: chmod 600 ${path}`);
    await chmod(path, 0o600);
    expect((await desk.runWith(NOTHING, "list", "--config", path)).exitCode).toBe(0);
  });

  it("take the key from wherever it is nearest", async () => {
    const path = await config("near.secret.toml", 'key = "from-file"\n', 0o600);
    const named = { ...NOTHING, DBDEPOT_API_KEY_FILE: desk.path("our.key"), DBDEPOT_URL: desk.customer.apiUrl };
    expect((await desk.runWith(named, "list", "--config", path)).exitCode).toBe(0);
    expect((await desk.runWith({ ...named, DBDEPOT_API_KEY: "wrong" }, "list")).exitCode).toBe(3);
  });

  it("warn about a key on the command line, and take it", async () => {
    const { exitCode, err, out } = await desk.runWith(
      { DBDEPOT_API_KEY: "" },
      "list",
      "--json",
      "--key",
      desk.customer.key,
    );
    expect(exitCode).toBe(0);
    expect(err).toMatch(/^dbdepot: warning: a key on the command line is visible to all users/);
    expect(JSON.parse(out)).toHaveLength(3);
  });

  it.each([
    [{ DBDEPOT_URL: "" }, "the service's address is missing"],
    [{ DBDEPOT_API_KEY: "" }, "the key is missing"],
    [{ DBDEPOT_API_KEY: "two words" }, "DBDEPOT_API_KEY: this is no key"],
    [
      { DBDEPOT_API_KEY: "", DBDEPOT_API_KEY_FILE: "/nothing/here" },
      "DBDEPOT_API_KEY_FILE: /nothing/here: cannot be read (ENOENT)",
    ],
    [{ DBDEPOT_CONFIG: "/nothing/here" }, "the config file cannot be read"],
    [{ DBDEPOT_MAX_AGE: "soon" }, 'DBDEPOT_MAX_AGE: "soon" is no time like'],
  ])("that are missing or wrong: %j", async (environment, says) => {
    const { exitCode, err } = await desk.runWith({ ...environment, XDG_CONFIG_HOME: "/nothing" }, "list");
    expect(exitCode).toBe(2);
    expect(err).toContain(says);
  });

  it("config init writes an example for its owner alone, and never over another", async () => {
    const path = desk.path("fresh.toml");
    expect((await desk.run("config", "init", path)).exitCode).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const check = await desk.runWith(NOTHING, "config", "check", "--config", path);
    expect(check.err).toContain("dbdepot.key: cannot be read (ENOENT)");
    expect(check.err.trimEnd().split("\n")).toHaveLength(1);
    await writeFile(path, "# mine");
    expect((await desk.run("config", "init", path)).err).toContain("already exists");
    expect(await readFile(path, "utf8")).toBe("# mine");
  });

  it("are all in the example, in force or as a comment that can be put in force", () => {
    const all = EXAMPLE.replace(/^# (?=[a-z_]+ = )/gm, "");
    const names = [...all.matchAll(/^([a-z_]+) = /gm)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(Object.keys(SETTINGS)));
    const { faults } = parseToml(all);
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining('"databases" is there twice')]);
  });
});
