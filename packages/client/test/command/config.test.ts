import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { parse } from "smol-toml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXAMPLE } from "../../src/command/config/example.ts";
import { SETTINGS } from "../../src/command/config/settings.ts";
import { Shell } from "./shell.ts";

/** Unsets the variables of the shell, so that all settings come from the file. */
const NOTHING = {
  DBDEPOT_CLIENT_URL: "",
  DBDEPOT_CLIENT_KEY: "",
  DBDEPOT_CLIENT_DIRECTORY: "",
  DBDEPOT_CLIENT_JITTER: "",
};

describe("settings", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await Shell.open();
    await shell.publish("vpn_ip_v1");
    await shell.publish("bogon_ip_v1");
    await writeFile(shell.path("our.key"), `  ${shell.customer.key}\n\n`, { mode: 0o600 });
  });
  afterAll(() => shell.dispose());

  async function config(name: string, text: string, mode = 0o644): Promise<string> {
    await writeFile(shell.path(name), text);
    await chmod(shell.path(name), mode);
    return shell.path(name);
  }

  it("reads a config file, with paths relative to it, and trims the key file", async () => {
    await mkdir(shell.path("etc"), { recursive: true });
    const path = await config(
      "etc/dbdepot.toml",
      `url = "${shell.customer.apiUrl}/"
key_file = "../our.key"
directory = "../from-config"
formats = ["csvgz"]
databases = ["vpn_ip_v1", { id = "bogon_ip_v1", formats = ["mmdb"], file = "bogons.mmdb" }]
jitter = "0"
`,
    );
    const { exitCode, out } = await shell.runWith(NOTHING, "sync", "--config", path);
    expect({ exitCode, out }).toMatchObject({ exitCode: 0 });
    expect((await stat(shell.path("from-config", "vpn_ip_v1.csv.gz"))).isFile()).toBe(true);
    expect((await stat(shell.path("from-config", "bogons.mmdb"))).isFile()).toBe(true);
    // The config file also applies to databases named on the command line.
    expect((await shell.runWith(NOTHING, "sync", "bogon_ip_v1", "--config", path)).out).toMatch(
      /^unchanged +bogons\.mmdb/,
    );
    for (const words of [["verify"], ["health"], ["doctor"], ["sync"]]) {
      expect((await shell.runWith({ ...NOTHING, DBDEPOT_CLIENT_CONFIG: path }, ...words)).exitCode).toBe(0);
    }
  });

  it("finds the config file in the default location", async () => {
    await mkdir(shell.path(".config/dbdepot"), { recursive: true });
    const path = await config(
      ".config/dbdepot/dbdepot.toml",
      `url = "${shell.customer.apiUrl}"\nkey_file = "../../our.key"\n`,
    );
    expect((await shell.runWith(NOTHING, "list")).exitCode).toBe(0);
    expect((await shell.runWith(NOTHING, "config")).out).toContain(`${path}:1`);
  });

  it("prefers options to the environment to the file, and shows the source but never the secret", async () => {
    const path = await config("order.toml", 'url = "https://file.example"\nkeep = 1\nparallel = 3\nmax_age = "90s"\n');
    const environment = { DBDEPOT_CLIENT_PARALLEL: "4", DBDEPOT_CLIENT_CONFIG: path, DBDEPOT_CLIENT_URL: "" };
    const { out, exitCode } = await shell.runWith(environment, "config", "--url", "https://option.example");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^url +https:\/\/option\.example +--url$/m);
    expect(out).toMatch(/^parallel +4 +DBDEPOT_CLIENT_PARALLEL$/m);
    expect(out).toMatch(new RegExp(`^keep +1 +${path}:2$`, "m"));
    expect(out).toMatch(/^max_age +90s +/m);
    expect(out).toMatch(/^hook +\(none\) +-$/m);
    expect(out).toMatch(/^key +dbd_\w{8}_… +DBDEPOT_CLIENT_KEY$/m);
    const document = JSON.parse((await shell.runWith(environment, "config", "--json")).out);
    expect(document).toMatchObject({ config_file: path, settings: { keep: { value: "1", source: `${path}:2` } } });
    expect(Object.keys(document.settings)).toEqual(Object.keys(SETTINGS));
  });

  it("reports all problems together, with their lines", async () => {
    const path = await config(
      "wrong.toml",
      [
        'url = "ftp://x"',
        "parallel = 99",
        'keep = "two"',
        'frequency = "1h"',
        "jitter = 5",
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
    const { exitCode, out, err } = await shell.runWith(NOTHING, "config", "check", "--config", path);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    const lines = err.trimEnd().split("\n");
    const problemIn = (line: number) => lines.filter((text) => text.includes(`${path}:${line}: `)).join();
    expect(problemIn(1)).toContain("url: must be a URL");
    expect(problemIn(2)).toContain("parallel: 99 is not a whole number from 1 to 16");
    expect(problemIn(3)).toContain("keep: must be a whole number without quotes");
    expect(problemIn(4)).toContain('unknown setting "frequency"');
    expect(problemIn(5)).toContain("jitter: must be a string in quotes");
    expect(problemIn(6)).toContain('formats: "zip" is not one of mmdb, csvgz');
    expect(problemIn(7)).toContain('databases: "vpn-ip" is not a database id');
    expect(problemIn(7)).toContain('a_v1: "x/y" is not a plain file name');
    expect(problemIn(7)).toContain('b_v1: "file" needs "formats" with exactly one format');
    expect(problemIn(12)).toContain('interval: "1ms" is too short');
    expect(problemIn(13)).toContain('delivery: "pigeon" is not one of redirect, stream');
    expect(problemIn(14)).toContain("hook: the command is empty");
    expect(lines).toHaveLength(10);
    expect((await shell.run("sync", "--config", path)).exitCode).toBe(2);
    const doctor = await shell.runWith(NOTHING, "doctor", "--config", path);
    expect(doctor.out).toMatch(/^FAIL {2}settings: .*wrong\.toml:4: .* 9 more: "dbdepot config check" lists them$/m);
  });

  it.each([
    ["url", 1, "incomplete key-value"],
    ['keep = 1\n\nurl = "https://x', 3, "unfinished string"],
    ["\nurl = https://depot.example", 2, 'invalid value: put text in quotes, like url = "https://depot.example"'],
    ["keep = 1\nkeep = 2", 2, "already defined"],
    ["databases = [", 1, "unfinished array"],
  ])("reports a syntax error with its line: %j", async (text, line, reason) => {
    const path = await config("syntax.toml", text);
    const { exitCode, err } = await shell.runWith(NOTHING, "config", "check", "--config", path);
    expect(exitCode).toBe(2);
    expect(err).toContain(`${path}:${line}: `);
    expect(err).toContain(reason);
  });

  it.each(["key = KEY", 'key = "KEY', "key = KEY KEY", "key = 'KEY' KEY", 'key = ["KEY", 1', 'key = ["KEY"]'])(
    "never repeats a key in a problem: %s",
    async (text) => {
      const path = await config("secret.toml", text.replaceAll("KEY", "dbd_abcdefgh_topsecret"), 0o600);
      const { exitCode, out, err } = await shell.runWith(NOTHING, "config", "check", "--config", path);
      expect(exitCode).toBe(2);
      expect(err).toContain(`${path}:1: `);
      expect(out + err).not.toContain("topsecret");
    },
  );

  it.each([
    ['databases = ["a_v1", "a_v1"]', "a_v1 is listed twice"],
    [
      'databases = ["a_v1", { id = "b_v1", formats = ["mmdb"], file = "a_v1.mmdb" }]',
      "would use the same file, a_v1.mmdb",
    ],
    ['[[databases]]\nid = "a_v1"\nname = "x"', 'a_v1: unknown field "name"'],
    ['databases = "a_v1"', "must be a list"],
    ["databases = [5]", "each database must be an id"],
    ['[[databases]]\nformats = ["mmdb"]', "a database has no id"],
    ['url = "https://user:pass@depot.example"', "must not contain a user, password"],
  ])("rejects %j", async (text, says) => {
    const { exitCode, err } = await shell.runWith(
      NOTHING,
      "config",
      "check",
      "--config",
      await config("one.toml", text),
    );
    expect(exitCode).toBe(2);
    expect(err).toContain(says);
  });

  it("rejects a key in a config file that other users can read", async () => {
    const text = `url = "${shell.customer.apiUrl}"\nkey = "${shell.customer.key}"\n`;
    const path = await config("own.secret.toml", text, 0o640);
    const { exitCode, err } = await shell.runWith(NOTHING, "list", "--config", path);
    expect(exitCode).toBe(2);
    expect(err).toContain(`own.secret.toml:2: other users can read the key: run "chmod 600 ${path}"`);
    await chmod(path, 0o600);
    expect((await shell.runWith(NOTHING, "list", "--config", path)).exitCode).toBe(0);
  });

  it("uses the key from the source with the highest precedence", async () => {
    const path = await config("near.secret.toml", 'key = "from-file"\n', 0o600);
    const named = {
      ...NOTHING,
      DBDEPOT_CLIENT_KEY_FILE: shell.path("our.key"),
      DBDEPOT_CLIENT_URL: shell.customer.apiUrl,
    };
    expect((await shell.runWith(named, "list", "--config", path)).exitCode).toBe(0);
    expect((await shell.runWith({ ...named, DBDEPOT_CLIENT_KEY: "wrong" }, "list")).exitCode).toBe(3);
  });

  it("reads the old names of the variables, without a warning, if the new ones are not set", async () => {
    const old = { DBDEPOT_URL: shell.customer.apiUrl, DBDEPOT_API_KEY: shell.customer.key };
    const { exitCode, err } = await shell.runWith({ ...NOTHING, ...old }, "list");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const { out } = await shell.runWith({ ...NOTHING, ...old, DBDEPOT_KEEP: "3", DBDEPOT_CLIENT_KEEP: "4" }, "config");
    expect(out).toMatch(/^url +\S+ +DBDEPOT_URL$/m);
    expect(out).toMatch(/^keep +4 +DBDEPOT_CLIENT_KEEP$/m);
    const path = await config("old.toml", "keep = 2\n");
    expect((await shell.runWith({ DBDEPOT_CONFIG: path }, "config")).out).toContain(`${path}:1`);
  });

  it("prefers a key file under the new name to a key under the old one", async () => {
    const both = { ...NOTHING, DBDEPOT_CLIENT_KEY_FILE: shell.path("our.key"), DBDEPOT_API_KEY: "wrong" };
    expect((await shell.runWith({ ...both, DBDEPOT_URL: shell.customer.apiUrl }, "list")).exitCode).toBe(0);
  });

  it.runIf(process.platform !== "win32")("warns about a key file that other users can read, and uses it", async () => {
    const path = shell.path("open.key");
    await writeFile(path, shell.customer.key);
    await chmod(path, 0o644);
    const named = { DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_KEY_FILE: path };
    const warning = `${path}: other users can read the key: run "chmod o-rwx ${path}"`;
    const { exitCode, err } = await shell.runWith(named, "list");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: `dbdepot: warning: ${warning}\n` });
    expect((await shell.runWith(named, "doctor")).out).toContain(`note  settings: ${warning}`);
    await chmod(path, 0o640);
    expect((await shell.runWith(named, "list")).err).toBe("");
  });

  it("says in words that a mirror does not exist, and that a file does", async () => {
    const missing = await shell.run("sync", "vpn_ip_v1", "--from", shell.path("nowhere"));
    expect(missing).toMatchObject({ exitCode: 2, err: expect.stringContaining("/nowhere does not exist") });
    const taken = shell.path("our.key");
    for (const argv of [
      ["sync", "vpn_ip_v1", "--directory", taken],
      ["keys", "create", "--name", "x", "--save", taken],
    ]) {
      expect(await shell.run(...argv)).toMatchObject({
        exitCode: 1,
        err: expect.stringMatching(/our\.key: already exists/),
      });
    }
  });

  it("warns about a key on the command line, and uses it", async () => {
    const { exitCode, err, out } = await shell.runWith(
      { DBDEPOT_CLIENT_KEY: "" },
      "list",
      "--json",
      "--key",
      shell.customer.key,
    );
    expect(exitCode).toBe(0);
    expect(err).toMatch(/^dbdepot: warning: a key on the command line is visible to all users/);
    expect(JSON.parse(out)).toMatchObject([{ base: "bogon_ip" }, { base: "vpn_ip" }]);
  });

  it.each([
    [{ DBDEPOT_CLIENT_URL: "" }, "the service's URL is missing"],
    [{ DBDEPOT_CLIENT_KEY: "" }, "the key is missing"],
    [{ DBDEPOT_CLIENT_KEY: "two words" }, "DBDEPOT_CLIENT_KEY: not a key"],
    [
      { DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_KEY_FILE: "/nothing/here" },
      "DBDEPOT_CLIENT_KEY_FILE: /nothing/here: cannot be read (ENOENT)",
    ],
    [{ DBDEPOT_CLIENT_CONFIG: "/nothing/here" }, "cannot read the config file"],
    [{ DBDEPOT_CLIENT_MAX_AGE: "soon" }, 'DBDEPOT_CLIENT_MAX_AGE: "soon" is not a duration such as'],
  ])("reports missing and invalid settings: %j", async (environment, says) => {
    const { exitCode, err } = await shell.runWith({ ...environment, XDG_CONFIG_HOME: "/nothing" }, "list");
    expect(exitCode).toBe(2);
    expect(err).toContain(says);
  });

  it("writes an example with mode 0600 with config init, and never overwrites a file", async () => {
    const path = shell.path("fresh.toml");
    expect((await shell.run("config", "init", path)).exitCode).toBe(0);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const check = await shell.runWith(NOTHING, "config", "check", "--config", path);
    expect(check.err).toContain("dbdepot.key: cannot be read (ENOENT)");
    expect(check.err.trimEnd().split("\n")).toHaveLength(1);
    await writeFile(path, "# mine");
    expect((await shell.run("config", "init", path)).err).toContain("already exists");
    expect(await readFile(path, "utf8")).toBe("# mine");
  });

  it("explains every setting in the example, set or commented out", () => {
    const all = EXAMPLE.replace(/^# (?=[a-z_]+ = )/gm, "");
    const names = [...all.matchAll(/^([a-z_]+) = /gm)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(Object.keys(SETTINGS)));
    // The example shows two ways to list the databases.
    expect(parse(all.replace(/^databases = \["vpn_ip_v1"\]$/m, ""))).toHaveProperty("databases");
  });
});
