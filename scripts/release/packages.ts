/** Debian and RPM packages and plain archives. The same commit gives the same bytes. */
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Architecture, addSystemFiles, type Product, scriptsOf } from "./trees.ts";

const run = promisify(execFile);
const MAINTAINER = "dbdepot <dbdepot@localhost>";
const DEBIAN = { x64: "amd64", arm64: "arm64" } as const;
const RPM = { x64: "x86_64", arm64: "aarch64" } as const;

export interface Contents {
  product: Product;
  version: string;
  architecture: Architecture;
  /** The directory whose content is installed below /usr. */
  tree: string;
  /** Seconds since 1970 that every file gets as its time. */
  epoch: number;
  /** The level of xz, from 0 to 9. */
  compression: number;
}

/** The names of a product's files on a server, where they have no version. */
export function packageNames(name: string, architecture: Architecture) {
  return {
    archive: `${name}-linux-${architecture}.tar.xz`,
    deb: `${name}_${DEBIAN[architecture]}.deb`,
    rpm: `${name}-${RPM[architecture]}.rpm`,
  };
}

/** An archive for any Linux, to unpack into /opt or a home directory. */
export async function writeArchive(
  file: string,
  { product, version, architecture, tree, epoch, compression }: Contents,
): Promise<void> {
  const name = `${product.name}-${version}-linux-${architecture}`;
  const options = [`--use-compress-program=xz -${compression} -T1`, `--transform=s,^\\.,${name},S`];
  await writeTar(file, epoch, tree, ["."], options);
}

/** The same files give the same bytes, whoever owns them. */
export async function writeTar(
  file: string,
  epoch: number,
  directory: string,
  entries: readonly string[],
  options: readonly string[] = [],
): Promise<void> {
  const owner = ["--owner=0", "--group=0", "--numeric-owner"];
  const same = ["--sort=name", ...owner, `--mtime=@${epoch}`, "--mode=u=rwX,go=rX"];
  await run("tar", [...same, ...options, "-cf", file, "-C", directory, ...entries]);
}

export async function writeDeb(file: string, contents: Contents, work: string): Promise<void> {
  const { product, version, architecture, epoch, compression } = contents;
  const root = await systemTree(contents, work);
  const control = join(root, "DEBIAN");
  await mkdir(control);
  const fields = {
    Package: product.name,
    Version: packageVersion(version),
    Architecture: DEBIAN[architecture],
    Maintainer: MAINTAINER,
    "Installed-Size": String(Math.ceil((await sizeOf(root)) / 1024)),
    Depends: "libc6 (>= 2.28), libstdc++6, passwd",
    Section: "net",
    Priority: "optional",
    Description: product.summary,
  };
  await writeFile(
    join(control, "control"),
    Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(""),
  );
  await writeFile(join(control, "conffiles"), `/etc/dbdepot/${product.config.name}\n`);
  for (const [name, script] of Object.entries(await scriptsOf(product))) {
    await writeFile(join(control, name), script, { mode: 0o755 });
  }
  await setModes(root);
  const options = ["--root-owner-group", "-Zxz", `-z${compression}`, "--threads-max=1", "--build", root, file];
  await run("dpkg-deb", options, { env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) } });
}

export async function writeRpm(file: string, contents: Contents, work: string): Promise<void> {
  const { product, version, architecture, epoch, compression } = contents;
  const root = await systemTree(contents, work);
  await setModes(root);
  const { postinst, prerm, postrm } = await scriptsOf(product);
  const config = `/etc/dbdepot/${product.config.name}`;
  const spec = `
%global __os_install_post %{nil}
%global _build_id_links none
%global _binary_payload w${compression}.xzdio
Name: ${product.name}
Version: ${packageVersion(version)}
Release: 1
Summary: ${product.summary}
License: Apache-2.0
AutoReqProv: no
Requires: glibc >= 2.28, libstdc++
Requires(post): shadow-utils
%description
${product.summary}.
%install
cp -a ${root}/. %{buildroot}
%post
${postinst}
%preun
${prerm}
%postun
${postrm}
%files
%defattr(-,root,root,-)
/usr/bin/${product.name}
/usr/lib/${product.name}
/usr/lib/systemd/system/*
/usr/share/doc/${product.name}
/usr/share/man/man1/*
${product.directory === "client" ? "/usr/share/bash-completion/completions/*\n/usr/share/zsh/vendor-completions/*\n/usr/share/fish/vendor_completions.d/*" : ""}
%config(noreplace) ${config}
`;
  const topdir = join(work, "rpmbuild");
  await mkdir(topdir);
  await writeFile(join(topdir, "package.spec"), spec);
  const macros = {
    _topdir: topdir,
    _rpmdir: topdir,
    _rpmfilename: "package.rpm",
    _buildhost: "localhost",
    use_source_date_epoch_as_buildtime: "1",
    clamp_mtime_to_source_date_epoch: "1",
    source_date_epoch_from_changelog: "0",
  };
  const defines = Object.entries(macros).flatMap(([name, value]) => ["--define", `${name} ${value}`]);
  const options = [
    "-bb",
    "--quiet",
    "--target",
    `${RPM[architecture]}-linux`,
    ...defines,
    join(topdir, "package.spec"),
  ];
  await run("rpmbuild", options, { env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) } });
  await cp(join(topdir, "package.rpm"), file);
}

async function systemTree({ product, tree }: Contents, work: string): Promise<string> {
  const root = join(work, "root");
  await cp(tree, join(root, "usr"), { recursive: true });
  await addSystemFiles(root, product);
  return root;
}

/** Both kinds of packages sort "1.2.0~rc.1" before "1.2.0", and forbid "-". */
function packageVersion(version: string): string {
  return version.replace("-", "~");
}

/** Independent of the umask of whoever makes the packages. The configuration stays private. */
async function setModes(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.includes("/etc/dbdepot/")) continue;
    const isExecutable = entry.isDirectory() || ((await stat(path)).mode & 0o111) !== 0;
    await chmod(path, isExecutable ? 0o755 : 0o644);
  }
  await chmod(root, 0o755);
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
