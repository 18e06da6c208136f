import { isBuildId, isDatabaseId } from "../api/incoming.ts";
import type { Manifest } from "../api/wire.ts";
import type { HttpResponse, Send } from "../http/http.ts";
import { parseManifest, readSignedManifest } from "../proof/documents.ts";
import * as layout from "./layout.ts";
import { bodyResponse, errorResponse, type FetchFile, textResponse } from "./responses.ts";

type Parameters = { id: string; build: string | null; sequence: string | null; kind: layout.FileKind };
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
  "/api/v2/database/metadata": async (get, parameters) => {
    const { id } = parameters;
    const build = await buildOf(get, parameters);
    if (typeof build !== "string") return build;
    const response = await get(layout.metadataPath(id, build));
    if (response.status !== 200) return response;
    return bodyResponse(200, await response.bytes(), { etag: `"${build}"`, "x-build-id": build });
  },
  "/api/v2/database/checksum": async (get, { id, build, kind }) => {
    const manifest = await currentManifest(get, id);
    if (!manifest?.build_id) return withoutBuild(manifest);
    if (build !== null && build !== manifest.build_id) return errorResponse(404, "UNKNOWN_BUILD");
    const file = manifest.files[kind];
    if (!file) return errorResponse(400, "INVALID_FORMAT");
    const { format } = layout.partsOf(kind);
    return textResponse(200, JSON.stringify({ id, format, checksums: file.checksums }), {
      "x-build-id": manifest.build_id,
    });
  },
  "/api/v2/database/download": async (get, parameters) => {
    const build = await buildOf(get, parameters);
    return typeof build === "string" ? get(layout.filePath(parameters.id, build, parameters.kind)) : build;
  },
};

/**
 * Answers the requests of the API from the files of a mirror, so that everything else works as with the service. Its
 * responses are not trusted: manifests are verified like those of the service.
 */
export function mirrorSend(fetchFile: FetchFile): Send {
  return async ({ url, headers, signal }) => {
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
    const get = (path: string) =>
      fetchFile(path, { headers: path.endsWith(".json") ? withoutRange(sent) : sent, signal });
    const sequence = searchParams.get("sequence");
    const response = await respond(get, { id: id ?? "", build, sequence, kind });
    const etag = response.header("etag");
    if (response.status !== 200 || isFile || etag === null || etag !== headers["if-none-match"]) return response;
    return textResponse(304, "", { etag, "x-build-id": response.header("x-build-id") ?? "" });
  };
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
  try {
    const signed = readSignedManifest(JSON.parse(await response.text()));
    return signed && parseManifest(signed.manifest);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function withoutRange({ range: _, "if-range": __, ...headers }: Record<string, string>): Record<string, string> {
  return headers;
}
