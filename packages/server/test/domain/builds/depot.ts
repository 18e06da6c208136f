import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import type { ByFileKind, Format } from "@dbdepot/contract/shared/formats";
import { Output } from "@dbdepot/terminal/output";
import { expect } from "vitest";
import type { Stage } from "../../../../../rigs/harness/service/stages.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import { openContext } from "../../../src/commands/context.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import type { ObjectStore } from "../../../src/domain/builds/object-store.ts";
import type { Published, PublishOptions } from "../../../src/domain/builds/publishing/publish.ts";
import { type PublicationRequest, publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { addFamily, addVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { keyFiles } from "../../../src/domain/manifests/key-files.ts";
import type { Operation, Store } from "../../../src/domain/store.ts";
import { freshnessRules } from "../../../src/settings/rules.ts";
import type { Settings } from "../../../src/settings/settings.ts";
import { inChunks, type SampleBuild } from "./sample-build.ts";

/** A sample build whose files may be streams. */
interface StreamedBuild extends Omit<SampleBuild, "files"> {
  files: ByFileKind<Buffer | AsyncIterable<Buffer>>;
}

/** A database and an object store without a server, as the CLI uses them. */
export class Depot {
  readonly clock = new TestClock();
  readonly settings: Settings;
  readonly store: Store;
  readonly objects: ObjectStore;
  readonly dispose: () => Promise<void>;

  private constructor(settings: Settings, store: Store, objects: ObjectStore, remove: () => Promise<void>) {
    this.settings = settings;
    this.store = store;
    this.objects = objects;
    this.dispose = async () => {
      await store.close();
      await remove();
    };
  }

  static async open(stage: Stage): Promise<Depot> {
    const { settings, dispose } = await stage.open();
    const output = new Output({ env: {}, writeOut: () => {}, writeErr: () => {} }, { program: "test", isJson: false });
    const context = openContext(settings, output);
    return new Depot(settings, await context.store(), await context.objects(), dispose);
  }

  operation(): Operation {
    const rules = { privateKeys: keyFiles(this.settings.signingKeysDir), freshness: freshnessRules(this.settings) };
    return { store: this.store, actor: "test", now: this.clock.now(), rules };
  }

  async addVersion(
    id: string,
    formats: readonly Format[] = ["csvgz", "mmdb"],
    options: { tables?: boolean } = {},
  ): Promise<string> {
    const base = id.replace(/_v\d+$/, "");
    if (!(await this.store.families.byBase(base))) {
      await addFamily(this.operation(), { base, name: base, visibility: "public" });
    }
    await addVersion(this.operation(), { id, summary: id, formats, ...options });
    return id;
  }

  /** Advances the clock by a second, so that builds are ordered. */
  async publish(
    versionId: string,
    sample: StreamedBuild,
    options: Partial<PublishOptions & Pick<PublicationRequest, "recompress">> = {},
  ): Promise<Published> {
    this.clock.advance("1 seconds");
    const files = Object.entries(sample.files).map(([format, file]) => [
      format,
      Buffer.isBuffer(file) ? inSmallChunks(file) : file,
    ]);
    return publishFiles(
      { operation: async () => this.operation(), objects: this.objects },
      { versionId, document: sample.document, files: Object.fromEntries(files), force: false, ...options },
    );
  }

  async current(versionId: string): Promise<Build | undefined> {
    const version = await this.store.versions.byId(versionId);
    return version?.currentBuildId ? this.store.builds.byId(version.currentBuildId) : undefined;
  }

  async keys(): Promise<string[]> {
    return (await Array.fromAsync(this.objects.list(""))).map(({ key }) => key).sort();
  }

  /** Everything that a publish can change. */
  async everything(): Promise<unknown> {
    const versions = await this.store.versions.list();
    const builds = await Promise.all(
      versions.map(async ({ id }) => {
        const lineage = await this.store.builds.lineage(id);
        // PostgreSQL returns rows in any order.
        lineage.sort((one, other) => (one.buildId < other.buildId ? -1 : 1));
        return [await this.store.builds.list(id), lineage];
      }),
    );
    return { versions, builds, audit: await this.store.audit.list({ limit: 1000 }), keys: await this.keys() };
  }

  /** Checks that the current build is complete: every format is stored, with its digests and the size in the document. */
  async expectServed(versionId: string): Promise<Build> {
    const build = await this.current(versionId);
    if (!build) throw new Error(`${versionId} has no current build`);
    const document = JSON.parse(build.metadata.toString());
    expect(build).toMatchObject({ state: "published", updated: document.updated, entries: document.entries });
    const samples = Object.entries(document.sample_size ?? {}).map(([format, size]) => [`sample_${format}`, size]);
    const sizes = { ...document.size, ...Object.fromEntries(samples) };
    expect(Object.keys(build.files).sort()).toEqual(Object.keys(sizes).sort());
    for (const [kind, file] of Object.entries(build.files)) {
      expect(await this.#stored(file.objectKey)).toEqual({ sizeBytes: sizes[kind], ...file.checksums });
    }
    return build;
  }

  async #stored(key: string) {
    const hashes = (["md5", "sha1", "sha256", "sha512"] as const).map((name) => [name, createHash(name)] as const);
    let sizeBytes = 0;
    await pipeline(await this.objects.read(key), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        sizeBytes += chunk.length;
        for (const [, hash] of hashes) hash.update(chunk);
      }
    });
    return { sizeBytes, ...Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest("hex")])) };
  }
}

async function* inSmallChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield* inChunks(bytes, 65_536, 1, 1000);
}
