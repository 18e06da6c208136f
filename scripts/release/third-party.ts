import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

interface Package {
  directory: string;
  name: string;
  version: string;
  license: string;
  author: string;
}

/**
 * Writes the licences of the bundled packages and a CycloneDX SBOM, which must accompany a bundle of third-party code.
 * `modules` are the paths of all bundled files, `directory` is the package they are bundled into.
 */
export async function describeBundle(dist: string, modules: readonly string[], directory: string): Promise<void> {
  const roots = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const packages = await Promise.all([...new Set(roots)].sort().map(readPackage));
  const licences = await Promise.all(packages.map(licenceOf));
  await writeFile(join(dist, "THIRD_PARTY_LICENSES.txt"), licences.join("\n\n"));
  const sbom = sbomOf(await readPackage(directory), packages);
  await writeFile(join(dist, "sbom.cdx.json"), `${JSON.stringify(sbom, undefined, 2)}\n`);
}

async function readPackage(directory: string): Promise<Package> {
  const { name, version, license, author } = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${directory}/package.json has no license field`);
  return { directory, name, version, license, author: author?.name ?? author ?? `the authors of ${name}` };
}

async function licenceOf({ directory, name, version, license, author }: Package): Promise<string> {
  const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file
    ? await readFile(join(directory, file), "utf8")
    : `Copyright ${author}. Licensed under ${license}; the package contains no licence text.\n`;
  return `${name} ${version}\n\n${text}`;
}

function sbomOf(product: Package, packages: readonly Package[]) {
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { type: "application", ...component(product) } },
    components: packages.map((each) => ({ type: "library", ...component(each) })),
    dependencies: [{ ref: purl(product), dependsOn: packages.map(purl) }],
  };
}

function component(each: Package) {
  const { name, version, license } = each;
  return { "bom-ref": purl(each), name, version, licenses: [{ expression: license }], purl: purl(each) };
}

/** https://github.com/package-url/purl-spec */
function purl({ name, version }: Package): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
