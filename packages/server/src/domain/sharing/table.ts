import type { BuildState } from "../builds/build.ts";
import type { Tables } from "../store.ts";
import type { SharedFile, TableVersion } from "./shared-table.ts";

/** A request that the table cannot answer. `gone` is a version that existed, but is no longer kept. */
export interface TableProblem {
  problem: "not_published" | "unknown" | "gone";
  message: string;
}

/** The changes that lead to one version of a table. */
export interface VersionChanges {
  version: TableVersion;
  /** All rows, for the first version, which has nothing to be compared with. */
  added: SharedFile[];
  changed: SharedFile[];
}

/** A table with all its versions, and which of them can still be read. */
export class SharedTable {
  readonly #versions: readonly TableVersion[];
  readonly #states: ReadonlyMap<string, BuildState>;
  readonly #files: readonly SharedFile[];

  constructor(
    versions: readonly TableVersion[],
    states: ReadonlyMap<string, BuildState>,
    files: readonly SharedFile[],
  ) {
    this.#versions = versions;
    this.#states = states;
    this.#files = files;
  }

  static async load({ sharing, builds }: Pick<Tables, "sharing" | "builds">, versionId: string): Promise<SharedTable> {
    const versions = await sharing.versions(versionId);
    const ids = [...new Set(versions.map(({ buildId }) => buildId))];
    // The states are read after the files, so that a build that is withdrawn in between is not offered.
    const files = await sharing.filesOf(ids);
    return new SharedTable(versions, await builds.statesOf(ids), files);
  }

  /** The newest version. Problem: there is none yet, or its build was withdrawn and the next version is being written. */
  current(): TableVersion | TableProblem {
    const newest = this.#versions.at(-1);
    if (newest && this.rowsOf(newest).length > 0) return newest;
    return { problem: "not_published", message: "The files of this table are being written. Try again later." };
  }

  at(number: number): TableVersion | TableProblem {
    const found = this.#versions[number - 1];
    if (!found) return this.#unknown(`version ${number}`);
    if (this.rowsOf(found).length > 0) return found;
    const oldest = this.#versions.find((version) => this.rowsOf(version).length > 0);
    if (!oldest) return this.current();
    return {
      problem: "gone",
      message: `Version ${number} is no longer kept. The oldest version that can be read is ${oldest.number}.`,
    };
  }

  /** The version that was the newest one at this time. */
  atTime(time: Date): TableVersion | TableProblem {
    const found = this.#versions.findLast(({ created }) => created <= time);
    return found ? this.at(found.number) : this.#unknown("a version from before this time");
  }

  /** The first version that is not older than this time, whether or not it can still be read. */
  since(time: Date): TableVersion | TableProblem {
    return this.#versions.find(({ created }) => created >= time) ?? this.#unknown("a version from after this time");
  }

  /** The last version that is not newer than this time. */
  until(time: Date): TableVersion | TableProblem {
    return (
      this.#versions.findLast(({ created }) => created <= time) ?? this.#unknown("a version from before this time")
    );
  }

  get newestNumber(): number {
    return this.#versions.length;
  }

  /** The files with all rows; none if the version can no longer be read. */
  rowsOf({ buildId }: TableVersion): SharedFile[] {
    if (this.#states.get(buildId) !== "published") return [];
    return this.#files.filter((file) => file.content === "rows" && file.buildId === buildId);
  }

  /** The changes from one version to another, both included, or a problem that names the oldest version to start from. */
  changes(first: number, last: number): VersionChanges[] | TableProblem {
    const wanted = this.#versions.slice(Math.max(0, first - 1), last);
    const found = wanted.map((version) => this.#changesTo(version));
    if (found.every((changes) => changes !== undefined)) return found;
    const broken = this.#versions.findLast((version) => this.#changesTo(version) === undefined);
    const oldest = (broken?.number ?? 0) + 1;
    const why = broken?.noChanges ? ` (${broken.noChanges})` : "";
    const start =
      oldest <= this.newestNumber
        ? `The oldest version to start from is ${oldest}.`
        : `Load the whole table, and start from version ${oldest} once it exists.`;
    return { problem: "gone", message: `The changes of version ${broken?.number} are not kept${why}. ${start}` };
  }

  /** Undefined if they are unknown, or no longer kept. */
  #changesTo(version: TableVersion): VersionChanges | undefined {
    const { number, buildId, baseBuildId, noChanges } = version;
    if (baseBuildId === null) {
      const added = this.rowsOf(version);
      return added.length > 0 ? { version, added, changed: [] } : undefined;
    }
    if (noChanges !== null || this.#states.get(buildId) !== "published") return undefined;
    // They contain rows of the build before.
    if (this.#states.get(baseBuildId) === "withdrawn") return undefined;
    const changed = this.#files.filter((file) => file.content === "changes" && file.number === number);
    return changed.length === version.changeFiles ? { version, added: [], changed } : undefined;
  }

  #unknown(what: string): TableProblem {
    return { problem: "unknown", message: `The table has no ${what}: its versions are 1 to ${this.newestNumber}.` };
  }
}

export function isProblem<T extends object>(found: T | TableProblem): found is TableProblem {
  return "problem" in found;
}
