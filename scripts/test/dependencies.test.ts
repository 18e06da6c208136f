import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface LockedPackage {
  link?: boolean;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
}

const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, LockedPackage> };
const installed = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);

it("lists and explains every package that our code imports", () => {
  const imported = new Set(["@fontsource-variable/inter"]);
  for (const path of globSync("packages/*/src/**/*.{ts,tsx}", { cwd: ROOT })) {
    for (const [, name = ""] of read(path).matchAll(
      /(?:from |import\()"((?:@[a-z-]+\/)?[a-z][a-z0-9.-]*)(?:\/[^"]*)?"/g,
    )) {
      if (!name.startsWith("@dbdepot/") && name !== "node") imported.add(name);
    }
  }
  const rows = read("docs/dependencies.md").matchAll(/^\| (`.*`) \|/gm);
  const listed = [...rows].flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(listed.toSorted()).toEqual([...imported].toSorted());
});

it("locks every package by its hash and names no download address", () => {
  expect(installed.length).toBeGreaterThan(500);
  const unlocked = installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
  expect(unlocked.map(([path]) => path)).toEqual([]);
  const addressed = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes(":"));
  expect(addressed.map(([path]) => path)).toEqual([]);
});

it("refuses every install script", () => {
  const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
  const withScripts = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScripts.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
  expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(names)].toSorted());
  expect(Object.values(allowScripts)).not.toContain(true);
});

it("bundles only code whose licence allows it", () => {
  const allowed = ["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0", "Zlib", "OFL-1.1"];
  const { components } = JSON.parse(read("packages/server/dist/sbom.cdx.json")) as {
    components: { name: string; licenses: { expression: string }[] }[];
  };
  expect(components.length).toBeGreaterThan(50);
  const forbidden = components.filter(({ licenses }) =>
    licenses.some(({ expression }) =>
      expression.split(/[()]| AND /).some((licence) => licence !== "" && !allowed.includes(licence)),
    ),
  );
  expect(forbidden.map(({ name, licenses }) => [name, licenses])).toEqual([]);
});
