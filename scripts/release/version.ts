import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Every file that contains the version, and the text around it. */
const PLACES: Record<string, RegExp> = {
  "{package.json,{packages,rigs}/*/package.json}": /("version": "|"@dbdepot\/\w+": ")([^"]+)/g,
  "packages/{server/src/platform,client/src}/version.ts": /(export const VERSION = ")([^"]+)/g,
  "deploy/helm/dbdepot/Chart.yaml": /(^(?:version|appVersion): )(\S+)/gm,
  "docs/operate/install.md":
    /(dbdepot(?:-server|-clients|_|-server_)-?)(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)[\w.]*)?)(?=[._-])/g,
};

/** Writes the version into every file below `root` that contains it. npm updates the lockfile when it runs next. */
export function writeVersion(root: string, version: string): void {
  for (const [pattern, place] of Object.entries(PLACES)) {
    for (const path of globSync(pattern, { cwd: root })) {
      const file = join(root, path);
      writeFileSync(file, readFileSync(file, "utf8").replace(place, `$1${version}`));
    }
  }
  const lockfile = join(root, "package-lock.json");
  const lock = JSON.parse(readFileSync(lockfile, "utf8")) as {
    version: string;
    packages: Record<string, Record<string, unknown>>;
  };
  lock.version = version;
  for (const [path, entry] of Object.entries(lock.packages)) {
    // Our own packages, with what they say about each other.
    if (path.includes("node_modules/")) continue;
    if ("version" in entry) entry.version = version;
    for (const dependencies of [entry.dependencies, entry.devDependencies] as (Record<string, string> | undefined)[]) {
      for (const name of Object.keys(dependencies ?? {})) {
        if (dependencies && name.startsWith("@dbdepot/")) dependencies[name] = version;
      }
    }
  }
  writeFileSync(lockfile, `${JSON.stringify(lock, undefined, 2)}\n`);
}

/** Gives the entries of "Unreleased" the version and the date. */
export function dateChangelog(changelog: string, version: string, date: string): string {
  return changelog.replace(/^## Unreleased$/m, `## ${version} (${date})`);
}
