import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, sourceFiles } from "../../../../rigs/harness/source-files.ts";
import { unknownSettings } from "../../src/settings/settings.ts";
import { PAGES } from "./pages.ts";

const BLOCKS = PAGES.flatMap(({ path, blocks }) =>
  blocks.map((block) => ({ ...block, place: `${path}:${block.line}` })),
);
const placesOf = (blocks: typeof BLOCKS) => blocks.map(({ place, info }) => `${place} ${info}`);

/**
 * demo-pages.ts runs "sh", runnable.slow.test.ts runs "sh slow", and scripts/test/pack.slow.test.ts runs "sh packages". All others must say why they
 * are not run.
 */
const SHELL = /^sh(?: slow| packages| not run: \S.*)?$/;
/** demo-pages.ts writes blocks with a file name to that file and expects the commands to print "text printed". */
const OTHER_LANGUAGES =
  /^(?:apache|ini|js|json|mermaid|nginx|python|sql|text|toml|ts|yaml|(?:csv|js|json|nginx|python|sql) file=[\w.]+|text printed)$/;

it("Docs, examples and snippets install the client from the service or a file, never by a name in a registry", () => {
  const folders = ["packages/client/examples", "packages/console/src", "deploy", "packages/server/src"];
  const paths = sourceFiles(["**/*.md", ...folders.map((folder) => `${folder}/**`)]);
  const byName =
    /\bnpx [^\n`&;|]*?(?<![\w/-])@?dbdepot(?![\w-])|\bnpm (?:i|install|exec) [^\n`&;|]*?(?<![\w/-])@?dbdepot(?![\w.-])/;
  for (const text of ["npx dbdepot list", "npx --yes --package @dbdepot/client dbdepot", "npm i @dbdepot/client"]) {
    expect(text).toMatch(byName);
  }
  expect(paths.filter((path) => byName.test(readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
});

describe("The blocks of code in Markdown pages", () => {
  it("are shell commands that a test runs, or say why none does, or name another language", () => {
    expect(placesOf(BLOCKS.filter(({ info }) => !SHELL.test(info) && !OTHER_LANGUAGES.test(info)))).toEqual([]);
    expect(BLOCKS.filter(({ info }) => info === "sh").length).toBeGreaterThan(0);
  });

  it("contain no shell commands if they name another language", () => {
    const commands = /^\s*(?:\$ |(?:sudo |npx )?(?:apt-get|curl|dbdepot|dbdepot-server|npm|systemctl) [a-z-])/m;
    // A capture of what a command prints may show commands.
    const others = BLOCKS.filter(({ info }) => OTHER_LANGUAGES.test(info) && !info.startsWith("text"));
    expect(placesOf(others.filter(({ code }) => commands.test(code)))).toEqual([]);
  });

  it.each(BLOCKS.filter(({ info }) => info.startsWith("sh not run:")))(
    "in $place are valid shell and name npm scripts that exist",
    ({ code }) => {
      expect(spawnSync("bash", ["-n"], { input: code, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
      const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
      const named = [...code.matchAll(/\bnpm (?:run )?(?!ci\b|install\b|run\b|script\b)([\w:]+)/g)].map(
        ([, name]) => name,
      );
      expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
    },
  );

  it.each(BLOCKS.filter(({ info }) => info === "ini"))("in $place contain only settings that exist", ({ code }) => {
    const names = [...code.matchAll(/^\s*(\w+)=/gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(unknownSettings(Object.fromEntries(names.map((name) => [name, ""])))).toEqual([]);
  });
});
