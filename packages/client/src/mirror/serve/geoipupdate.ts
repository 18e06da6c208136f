import type { IncomingMessage, ServerResponse } from "node:http";
import { FileStream } from "@dbdepot/formats/transfers/file-stream";
import { gzipped } from "@dbdepot/formats/transfers/gzip";
import { sendStream } from "@dbdepot/formats/transfers/send-stream";
import { tarOf } from "@dbdepot/formats/transfers/tar";
import * as layout from "../layout.ts";
import { CHUNK_TIMEOUT_MS, sendBody, sendProblem } from "./responses.ts";
import type { ServedBuild, VerifiedMirror } from "./verified-mirror.ts";

const EDITIONS_MAX = 100;

/** Answers the requests of MaxMind's updater. Returns false for other paths. */
export async function answerGeoipupdate(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  mirror: VerifiedMirror,
): Promise<boolean> {
  if (url.pathname === "/geoip/updates/metadata") {
    sendMetadata(response, url, mirror);
    return true;
  }
  const [, id, action] = /^\/geoip\/databases\/(\w+)\/(download|update)$/.exec(url.pathname) ?? [];
  if (id === undefined) return false;
  const date = action === "download" ? url.searchParams.get("date") : null;
  const build = buildOf(mirror, id, date);
  const file = build && mirror.database(id)?.files.get(layout.filePath(id, build.buildId, "mmdb"));
  const handle = file && (await mirror.open(file));
  if (!build || !file || !handle) {
    sendProblem(response, 404, "UNKNOWN_DATASET", `this mirror has no MMDB file of ${id}${date ? ` of ${date}` : ""}`);
    return true;
  }
  try {
    const md5 = build.manifest.files.mmdb?.checksums.md5 ?? "";
    response.setHeader("x-build-id", build.buildId);
    response.setHeader("x-database-md5", md5);
    response.setHeader("cache-control", "private, no-cache");
    response.setHeader("last-modified", new Date(build.manifest.published ?? build.manifest.created).toUTCString());
    if (action === "update" && url.searchParams.get("db_md5")?.toLowerCase() === md5) {
      response.writeHead(304).end();
      return true;
    }
    const directory = `${id}_${compactDate(build)}`;
    const name = action === "update" ? `${id}.mmdb.gz` : `${directory}.tar.gz`;
    response.setHeader("content-disposition", `attachment; filename="${name}"`);
    response.writeHead(200, { "content-type": "application/gzip" });
    if (request.method === "HEAD") {
      response.end();
      return true;
    }
    const content = new FileStream(handle, { first: 0, last: file.sizeBytes - 1 });
    const tar = { directory, name: `${id}.mmdb`, sizeBytes: file.sizeBytes, modified: new Date(build.updated) };
    const archive = gzipped(action === "update" ? content : tarOf(tar, content));
    await sendStream(archive, response, Number.POSITIVE_INFINITY, { chunkTimeoutMs: CHUNK_TIMEOUT_MS });
  } finally {
    await handle.close();
  }
  return true;
}

/** The updater asks for the date that it got from the metadata, even if there is a newer build meanwhile. */
function buildOf(mirror: VerifiedMirror, id: string, date: string | null): ServedBuild | undefined {
  const { manifest, builds = [] } = mirror.database(id) ?? {};
  if (!manifest?.build_id) return undefined;
  return date === null ? builds[0] : builds.find((build) => compactDate(build) === date);
}

function sendMetadata(response: ServerResponse, url: URL, mirror: VerifiedMirror): void {
  const ids = [...new Set(url.searchParams.getAll("edition_id"))].slice(0, EDITIONS_MAX);
  const databases = ids.flatMap((id) => {
    const build = buildOf(mirror, id, null);
    const md5 = build?.manifest.files.mmdb?.checksums.md5;
    return build && md5 ? [{ edition_id: id, md5, date: build.updated }] : [];
  });
  if (databases.length === 0) {
    sendProblem(response, 404, "UNKNOWN_DATASET", `this mirror has no MMDB file of ${ids.join(", ")}`);
    return;
  }
  response.setHeader("cache-control", "private, no-cache");
  sendBody(response, 200, "application/json", Buffer.from(JSON.stringify({ databases })));
}

function compactDate({ updated }: ServedBuild): string {
  return updated.replaceAll("-", "");
}
