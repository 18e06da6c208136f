import type { SignedTables } from "../manifests/manifest.ts";
import type { Tables } from "../store.ts";

/** The digests of the Parquet files of a build, and of the changes of the newest version of the table; undefined without files. */
export async function digestsOf(
  { sharing }: Pick<Tables, "sharing">,
  build: { id: string; versionId: string },
): Promise<SignedTables | undefined> {
  const files = await sharing.filesOf([build.id]);
  const latest = await sharing.latest(build.versionId);
  const number = latest?.buildId === build.id ? latest.number : null;
  const rows = files.filter(({ content }) => content === "rows");
  if (rows.length === 0) return undefined;
  const changes = files.filter((file) => file.content === "changes" && file.number === number);
  const toWire = ({ sizeBytes, sha256 }: (typeof files)[number]) => ({ size_bytes: sizeBytes, sha256 });
  return { version: number, rows: rows.map(toWire), changes: changes.map(toWire) };
}
