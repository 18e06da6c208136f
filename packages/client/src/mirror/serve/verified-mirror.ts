import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { FreshnessText } from "@dbdepot/contract/v2/freshness-proof";
import { Api } from "../../api/api.ts";
import { isBuildId, isDatabaseId, readCatalogue, readMetadata } from "../../api/incoming.ts";
import type { Manifest } from "../../api/wire.gen.ts";
import { parseManifest } from "../../proof/documents.ts";
import { readFreshness } from "../../proof/freshness.ts";
import type { SignedText } from "../../proof/source.ts";
import { trustFile } from "../../proof/trust-file.ts";
import { ManifestVerifier } from "../../proof/verifier.ts";
import * as layout from "../layout.ts";
import { type MirroredPatch, readPatchIndex } from "../patches.ts";
import { directoryFiles, type FetchFile, textResponse } from "../responses.ts";
import { mirrorSend } from "../send.ts";
import { readSigned } from "../signed.ts";

/** Builds before the current one whose files are served, if their directories still exist. */
const EARLIER_BUILDS = 7;
/** Far larger than any document of a mirror. */
const DOCUMENT_MAX_BYTES = 10_000_000;

/** A small document that is kept in memory, so that all documents of a database are about the same build. */
export interface ServedDocument {
  body: Buffer;
  etag: string;
}

/** A file on disk whose digest is the signed one. */
export interface ServedFile {
  path: string;
  kind: "file" | "patch";
  sizeBytes: number;
  sha256: string;
  modified: Date;
  /** Changes when the file is replaced or written to. */
  identity: string;
}

export interface ServedBuild {
  manifest: Manifest;
  buildId: string;
  /** The date in the metadata, such as 2027-01-31. */
  updated: string;
}

export interface ServedDatabase {
  id: string;
  /** The newest manifest. */
  manifest: Manifest;
  /** When its statement of freshness ends; undefined if it has none. */
  freshUntil: Date | undefined;
  /** The builds that are served completely, the current one first. */
  builds: readonly ServedBuild[];
  documents: ReadonlyMap<string, ServedDocument>;
  files: ReadonlyMap<string, ServedFile>;
}

export interface VerifiedMirrorOptions {
  directory: string;
  /** Public keys that replace those in the trust file. */
  trust: readonly string[];
  trustFile: string;
  log(message: string): void;
}

/** What a mirror on disk may serve: only documents and files that a trusted key has signed, directly or by their digest. */
export class VerifiedMirror {
  readonly #options: VerifiedMirrorOptions;
  /** Files are read again only if they have changed. */
  readonly #digests = new Map<string, { identity: string; sha256: string }>();
  /** The digests of manifests by their position, per database. */
  readonly #chains = new Map<string, ReadonlyMap<number, string>>();
  readonly #databases = new Map<string, ServedDatabase>();
  readonly #documents = new Map<string, ServedDocument>();
  /** When the mirror was last compared with the service; undefined if never. */
  checked: Date | undefined;

  constructor(options: VerifiedMirrorOptions) {
    this.#options = options;
  }

  get databases(): ServedDatabase[] {
    return [...this.#databases.values()];
  }

  database(id: string): ServedDatabase | undefined {
    return this.#databases.get(id);
  }

  /** The document or file with this path in the layout of a mirror, if it may be served. */
  find(path: string): ServedDocument | ServedFile | undefined {
    const found = this.#documents.get(path);
    if (found) return found;
    const database = this.#databases.get(path.split("/", 1)[0] ?? "");
    return database?.documents.get(path) ?? database?.files.get(path);
  }

  /** A manifest of the chain. Chains become long, so they are not kept in memory. */
  async chainDocument(id: string, sequence: number): Promise<ServedDocument | undefined> {
    const sha256 = this.#databases.has(id) ? this.#chains.get(id)?.get(sequence) : undefined;
    if (sha256 === undefined) return undefined;
    const signed = await readSigned(join(this.#options.directory, layout.chainPath(id, sequence)));
    return signed && sha256Of(signed.manifest) === sha256 ? jsonDocument(signed) : undefined;
  }

  /** Opens a file that may be served. Undefined if it has changed since it was verified. */
  async open({ path, identity }: ServedFile): Promise<FileHandle | undefined> {
    const handle = await open(join(this.#options.directory, path)).catch(ignoreMissing);
    if (!handle) return undefined;
    if (identityOf(await handle.stat({ bigint: true })) === identity) return handle;
    await handle.close();
    return undefined;
  }

  /** Verifies everything on disk. Databases that are no longer in the mirror's catalogue are not served any more. */
  async loadAll(): Promise<void> {
    const { directory } = this.#options;
    const index = await readFile(join(directory, layout.INDEX)).catch(ignoreMissing);
    if (!index) return;
    const ids = idsIn(index);
    for (const id of this.#databases.keys()) if (!ids.includes(id)) this.#databases.delete(id);
    for (const id of ids) await this.load(id);
    this.#documents.set(layout.INDEX, documentOf(index));
    // Every complete round writes the index.
    this.checked = (await stat(join(directory, layout.INDEX))).mtime;
  }

  /**
   * Verifies a database. If a file is missing or damaged, the state that was verified before is served on, as far as its
   * files still exist.
   */
  async load(id: string): Promise<ServedDatabase | undefined> {
    const { directory, log } = this.#options;
    try {
      const database = await this.#verified(id);
      const keys = await readFile(join(directory, layout.KEYS)).catch(ignoreMissing);
      if (keys) this.#documents.set(layout.KEYS, documentOf(keys));
      if (database) this.#databases.set(id, database);
      return database;
    } catch (error) {
      log(`${id} is not served as it is on disk: ${(error as Error).message}`);
      return undefined;
    }
  }

  async #verified(id: string): Promise<ServedDatabase | undefined> {
    const { directory } = this.#options;
    const newest = await this.#newestManifest(id);
    if (!newest) return undefined;
    const { manifest, signed, freshness } = newest;
    const files = new Map<string, ServedFile>();
    const documents = new Map([
      [layout.signedPath(id), jsonDocument({ ...signed, ...(freshness && { freshness }) })],
      [layout.manifestPath(id), documentOf(Buffer.from(signed.manifest))],
      [`${layout.manifestPath(id)}.minisig`, documentOf(Buffer.from(signed.signature))],
    ]);
    if (freshness) {
      const { statement, signature, endorsement } = freshness;
      for (const [path, signed] of [
        [layout.freshnessPath(id), { text: statement, signature }],
        [layout.freshnessKeyPath(id), { text: endorsement.statement, signature: endorsement.signature }],
      ] as const) {
        documents.set(path, documentOf(Buffer.from(signed.text)));
        documents.set(`${path}.minisig`, documentOf(Buffer.from(signed.signature)));
      }
    }
    const builds: ServedBuild[] = [];
    for (const earlier of await this.#keptManifests(id, manifest, signed)) {
      const found = await this.#filesOf(earlier, { isCurrent: earlier === manifest });
      if (!found) continue;
      builds.push({ manifest: earlier, buildId: found.buildId, updated: found.updated });
      for (const file of found.files) files.set(file.path, file);
      documents.set(layout.metadataPath(id, found.buildId), documentOf(found.metadata));
      const patches = await this.#patchesOf(id, found.buildId);
      for (const { file } of patches) files.set(file.path, file);
      if (patches.length > 0) {
        documents.set(layout.patchIndexPath(id, found.buildId), jsonDocument(patches.map(({ patch }) => patch)));
      }
    }
    this.#forgetDigests(id, files);
    const names = await readdir(join(directory, id));
    if (manifest.build_id !== null && !names.includes(manifest.build_id)) throw new Error("its files are missing");
    return { id, manifest, freshUntil: freshness && endOf(freshness), builds, documents, files };
  }

  /**
   * The manifest on disk, if a trusted key has signed it. What has been seen before does not matter: the program may have
   * been killed after it saw a newer manifest, and before it had copied that build. A statement of freshness is served even
   * after it has ended, so that clients learn since when nothing is known, but it must be signed.
   */
  async #newestManifest(
    id: string,
  ): Promise<{ manifest: Manifest; signed: SignedText; freshness: FreshnessText | undefined } | undefined> {
    const { directory, trust, trustFile: path } = this.#options;
    const text = isDatabaseId(id)
      ? await readFile(join(directory, layout.signedPath(id)), "utf8").catch(ignoreMissing)
      : undefined;
    if (text === undefined) return undefined;
    const { keys } = await trustFile(path, { isReadOnly: true }).read();
    if (keys.length === 0 && trust.length === 0) throw new Error("no key is trusted");
    const store = { read: async () => ({ keys, databases: {} }), update: async () => {} };
    // The same text is verified and served, whatever another process writes meanwhile.
    const files = directoryFiles(directory);
    const api = localApi((file, request) =>
      file === layout.signedPath(id) ? Promise.resolve(textResponse(200, text)) : files(file, request),
    );
    const verifier = new ManifestVerifier(api, { store, given: trust, onStale: () => {} });
    const verified = await verifier.verified(id, {});
    return verified && { ...verified, freshness: readFreshness(JSON.parse(text).freshness) };
  }

  /** The newest manifest, and those of earlier builds whose directories exist. */
  async #keptManifests(id: string, newest: Manifest, signed: SignedText): Promise<Manifest[]> {
    const { directory } = this.#options;
    const missing = new Set((await readdir(join(directory, id))).filter(isBuildId));
    const kept = newest.build_id === null ? [] : [newest];
    missing.delete(newest.build_id ?? "");
    const known = this.#chains.get(id);
    const chain = new Map([[newest.sequence, sha256Of(signed.manifest)]]);
    let { previous } = newest;
    for (let position = newest.sequence - 1; position > 0 && previous !== null; position -= 1) {
      const isNear = newest.sequence - position <= EARLIER_BUILDS && missing.size > 0;
      if (!isNear && known?.get(position) === previous) {
        for (const [at, sha256] of known) if (at <= position) chain.set(at, sha256);
        break;
      }
      const entry = await readSigned(join(directory, layout.chainPath(id, position)));
      const manifest = entry && sha256Of(entry.manifest) === previous ? parseManifest(entry.manifest) : undefined;
      if (!manifest) break;
      chain.set(position, previous);
      if (isNear && manifest.build_id !== null && missing.delete(manifest.build_id)) kept.push(manifest);
      ({ previous } = manifest);
    }
    this.#chains.set(id, chain);
    return kept;
  }

  /** Undefined if a file is missing or damaged. Of the current build, this is an error. */
  async #filesOf(manifest: Manifest, { isCurrent }: { isCurrent: boolean }) {
    const { id, build_id: buildId } = manifest;
    if (buildId === null || !manifest.metadata) return undefined;
    const expected = [
      { path: layout.metadataPath(id, buildId), sha256: manifest.metadata.sha256 },
      ...(Object.entries(manifest.files) as [layout.FileKind, NonNullable<Manifest["files"]["mmdb"]>][]).map(
        ([kind, file]) => ({ path: layout.filePath(id, buildId, kind), sha256: file.checksums.sha256 }),
      ),
    ];
    const found: ServedFile[] = [];
    for (const { path, sha256 } of expected) {
      const file = await this.#verifiedFile(path, "file", sha256);
      if (file) found.push(file);
      else if (isCurrent) throw new Error(`${path} is missing or damaged, and will be downloaded again`);
      else return undefined;
    }
    const metadata = await readFile(join(this.#options.directory, layout.metadataPath(id, buildId)));
    const { updated } = readMetadata(JSON.parse(metadata.toString()));
    return { buildId, updated, metadata, files: found.slice(1) };
  }

  async #patchesOf(id: string, buildId: string): Promise<{ patch: MirroredPatch; file: ServedFile }[]> {
    const path = join(this.#options.directory, layout.patchIndexPath(id, buildId));
    const found = [];
    for (const patch of readPatchIndex(await readFile(path, "utf8").catch(() => ""))) {
      if (patch.format !== "csvgz" && patch.format !== "mmdb") continue;
      const file = await this.#verifiedFile(
        layout.patchPath(id, buildId, patch.format, patch.from),
        "patch",
        patch.sha256,
      );
      if (file) found.push({ patch, file });
    }
    return found;
  }

  /** A damaged file is removed, because the next round downloads only files that are missing. */
  async #verifiedFile(path: string, kind: ServedFile["kind"], sha256: string): Promise<ServedFile | undefined> {
    const absolute = join(this.#options.directory, path);
    const found = await stat(absolute, { bigint: true }).catch(ignoreMissing);
    if (!found?.isFile()) return undefined;
    const identity = identityOf(found);
    const known = this.#digests.get(path);
    const digest = known?.identity === identity ? known.sha256 : await sha256OfFile(absolute);
    this.#digests.set(path, { identity, sha256: digest });
    if (digest !== sha256) {
      this.#options.log(`${path} is damaged, so it was removed`);
      await rm(absolute, { force: true });
      return undefined;
    }
    return { path, kind, sizeBytes: Number(found.size), sha256, modified: found.mtime, identity };
  }

  #forgetDigests(id: string, files: ReadonlyMap<string, unknown>): void {
    for (const path of this.#digests.keys()) {
      if (path.startsWith(`${id}/`) && !files.has(path) && !path.endsWith("/metadata.json")) this.#digests.delete(path);
    }
  }
}

/** Reads the mirror as a client would. */
function localApi(fetchFile: FetchFile): Api {
  return new Api({
    baseUrl: "http://mirror.invalid",
    key: "none",
    userAgent: undefined,
    retryPolicy: { retries: 0, delayMs: 0, waitMaxMs: 0, onRetry: undefined },
    send: async () => mirrorSend(fetchFile),
  });
}

/** Expects a statement that was verified. */
function endOf({ statement }: FreshnessText): Date {
  return new Date((JSON.parse(statement) as { valid_until: string }).valid_until);
}

function idsIn(index: Buffer): string[] {
  return readCatalogue(JSON.parse(index.toString())).flatMap(({ versions }) => versions.map(({ id }) => id));
}

function jsonDocument(value: unknown): ServedDocument {
  return documentOf(Buffer.from(`${JSON.stringify(value)}\n`));
}

function documentOf(body: Buffer): ServedDocument {
  if (body.length > DOCUMENT_MAX_BYTES) throw new Error("a document is too large");
  return { body, etag: `"${sha256Of(body)}"` };
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: Awaited<ReturnType<typeof bigStat>>): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

function bigStat(path: string) {
  return stat(path, { bigint: true });
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest("hex");
}

function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}
