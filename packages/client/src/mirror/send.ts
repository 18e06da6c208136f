import { isBuildId, isDatabaseId, isRecord } from "../api/incoming.ts";
import { serviceError } from "../api/response-errors.ts";
import type { Manifest } from "../api/wire.gen.ts";
import type { HttpResponse, Send } from "../http/http.ts";
import { parseManifest, readSignedManifest } from "../proof/documents.ts";
import * as layout from "./layout.ts";
import { type MirroredPatch, readPatchIndex } from "./patches.ts";
import { bodyResponse, errorResponse, type FetchFile, textResponse, withHeader } from "./responses.ts";

interface Parameters {
  id: string;
  build: string | null;
  sequence: string | null;
  kind: layout.FileKind;
  /** The digest of the file that the client has. */
  from: string | null;
}

type Respond = (get: (path: string) => Promise<HttpResponse>, parameters: Parameters) => Promise<HttpResponse>;

const RESPONSES: Record<string, Respond> = {
  "/api/v2/database/list": (get) => get(layout.INDEX),
  "/.well-known/dbdepot-keys.json": (get) => get(layout.KEYS),
  "/api/v2/database/manifest": async (get, { id, build, sequence }) => {
    if (sequence !== null) return get(layout.chainPath(id, Number(sequence)));
    if (build !== null && (await currentManifest(get, id))?.build_id !== build)
      return errorResponse(404, "UNKNOWN_BUILD");
    return get(layout.signedPath(id));
  },
  "/api/v2/database/freshness": async (get, { id }) => {
    const response = await get(layout.signedPath(id));
    if (response.status !== 200) return response;
    const document = parseJson(await response.text());
    const freshness = isRecord(document) ? document.freshness : undefined;
    if (freshness === undefined) return errorResponse(404, "NOT_SIGNED");
    const date = response.header("date");
    return textResponse(200, JSON.stringify(freshness), date === null ? {} : { date });
  },
  "/api/v2/database/metadata": async (get, parameters) => {
    const { id } = parameters;
    const build = await buildOf(get, parameters);
    if (typeof build !== "string") return build;
    const response = await get(layout.metadataPath(id, build));
    if (response.status !== 200) return response;
    return bodyResponse(200, await response.bytes(), { etag: `"${build}"`, "x-build-id": build });
  },
  "/api/v2/database/checksum": async (get, { id, build, kind, from }) => {
    const manifest = await currentManifest(get, id);
    if (!manifest?.build_id) return withoutBuild(manifest);
    if (build !== null && build !== manifest.build_id) return errorResponse(404, "UNKNOWN_BUILD");
    const file = manifest.files[kind];
    if (!file) return errorResponse(400, "INVALID_FORMAT");
    const { format } = layout.partsOf(kind);
    const found = from === null ? undefined : await patchFrom(get, { id, build: manifest.build_id, kind, from });
    const patch = found && { ...found, result_size_bytes: file.size_bytes };
    return textResponse(200, JSON.stringify({ id, format, checksums: file.checksums, patch }), {
      "x-build-id": manifest.build_id,
    });
  },
  "/api/v2/database/download": async (get, parameters) => {
    const build = await buildOf(get, parameters);
    if (typeof build !== "string") return build;
    const { id, kind, from } = parameters;
    const patch = from === null ? undefined : await patchFrom(get, { id, build, kind, from });
    if (!patch) return get(layout.filePath(id, build, kind));
    return withHeader(await get(layout.patchPath(id, build, patch.format, patch.from)), "x-patch-from", patch.from);
  },
};

/** A mirror that is served by `dbdepot mirror --serve` has an event stream at the same address as the service. */
const EVENTS = "api/v2/events";

/**
 * Answers the requests of the API from the files of a mirror, so that everything else works as with the service. Its
 * responses are not trusted: manifests are verified like those of the service.
 */
export function mirrorSend(fetchFile: FetchFile): Send {
  return async ({ url, headers, signal }) => {
    if (url.pathname === `/${EVENTS}`) {
      return fetchFile(EVENTS, { headers: { accept: "text/event-stream", ...userAgentIn(headers) }, signal });
    }
    const respond = RESPONSES[url.pathname];
    const { searchParams } = url;
    const id = searchParams.get("id");
    const build = searchParams.get("build");
    const isSafe = (id === null || isDatabaseId(id)) && (build === null || isBuildId(build));
    if (!respond || !isSafe) return errorResponse(404, respond ? "UNKNOWN_DATASET" : "NOT_FOUND");
    const isFile = url.pathname.endsWith("/download");
    // The key is never sent to a mirror.
    const sent: Record<string, string> = { "accept-encoding": "identity" };
    for (const name of ["user-agent", ...(isFile ? ["range", "if-range"] : [])]) {
      const value = headers[name];
      if (value !== undefined) sent[name] = value;
    }
    const format = searchParams.get("format") === "csvgz" ? "csvgz" : "mmdb";
    const kind = searchParams.get("sample") === "true" ? (`sample_${format}` as const) : format;
    const get = async (path: string) => {
      const response = await fetchFile(path, { headers: path.endsWith(".json") ? withoutRange(sent) : sent, signal });
      // A mirror that refuses or fails is not one without the document.
      if (path.endsWith(".json") && ![200, 404].includes(response.status)) {
        throw serviceError(response, await response.text());
      }
      return response;
    };
    const sequence = searchParams.get("sequence");
    const from = searchParams.get("from");
    const response = await respond(get, { id: id ?? "", build, sequence, kind, from });
    const etag = response.header("etag");
    if (response.status !== 200 || isFile || etag === null || etag !== headers["if-none-match"]) return response;
    return textResponse(304, "", { etag, "x-build-id": response.header("x-build-id") ?? "" });
  };
}

/** Returns the mirror's patch from the file with this digest. Only the list says which there are. */
async function patchFrom(
  get: (path: string) => Promise<HttpResponse>,
  { id, build, kind, from }: { id: string; build: string; kind: layout.FileKind; from: string },
): Promise<MirroredPatch | undefined> {
  const response = await get(layout.patchIndexPath(id, build));
  if (response.status !== 200) {
    response.discard();
    return undefined;
  }
  return readPatchIndex(await response.text()).find((patch) => patch.format === kind && patch.from === from);
}

/** Returns the id of the requested build, or an error if the mirror does not have it. */
async function buildOf(
  get: (path: string) => Promise<HttpResponse>,
  { id, build }: Parameters,
): Promise<string | HttpResponse> {
  if (build !== null) return build;
  const manifest = await currentManifest(get, id);
  return manifest?.build_id ?? withoutBuild(manifest);
}

/** Either the last build was withdrawn, or the mirror does not have the database. */
function withoutBuild(manifest: Manifest | undefined): HttpResponse {
  return errorResponse(404, manifest ? "NOT_AVAILABLE" : "UNKNOWN_DATASET");
}

async function currentManifest(
  get: (path: string) => Promise<HttpResponse>,
  id: string,
): Promise<Manifest | undefined> {
  const response = await get(layout.signedPath(id));
  if (response.status !== 200) {
    response.discard();
    return undefined;
  }
  const signed = readSignedManifest(parseJson(await response.text()));
  return signed && parseManifest(signed.manifest);
}

/** Undefined if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function userAgentIn({ "user-agent": agent }: Record<string, string>): Record<string, string> {
  return agent === undefined ? {} : { "user-agent": agent };
}

function withoutRange({ range: _, "if-range": __, ...headers }: Record<string, string>): Record<string, string> {
  return headers;
}
