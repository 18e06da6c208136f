import { FILE_TYPES } from "@dbdepot/contract/shared/formats";
import type { HeaderName } from "../headers.ts";
import * as examples from "./examples.ts";
import type { NotesByRoute } from "./notes.ts";

const FILE_HEADERS: readonly HeaderName[] = ["ETag", "Last-Modified", "Repr-Digest", "X-Build-Id", "Accept-Ranges"];
const FILES = Object.values(FILE_TYPES).map(({ contentType }) => contentType);

export const V1_NOTES: NotesByRoute = {
  "GET /api/v1/database/download": {
    operationId: "databaseDownload",
    tag: "Legacy v1",
    curl: curl("download?id=vpn_ip_v1&format=csvgz", "-o vpn_ip_v1.csv.gz"),
    requestHeaders: ["Range", "IfRange", "IfNoneMatch"],
    responses: {
      200: { description: "The file.", headers: [...FILE_HEADERS, "Content-Disposition"], files: FILES },
      206: {
        description: "The requested range of the file.",
        headers: [...FILE_HEADERS, "Content-Disposition", "Content-Range"],
        files: FILES,
      },
      304: { description: "Not modified. No body.", headers: FILE_HEADERS },
    },
  },
  "GET /api/v1/database/checksum": {
    operationId: "databaseChecksum",
    tag: "Legacy v1",
    curl: curl("checksum?id=vpn_ip_v1&format=csvgz"),
    responses: {
      200: { description: "The digests of the file.", headers: ["X-Build-Id"], example: examples.legacyChecksums },
    },
  },
  "GET /api/v1/database/metadata": {
    operationId: "databaseMetadata",
    tag: "Legacy v1",
    curl: curl("metadata?id=vpn_ip_v1"),
    responses: { 200: { description: "The metadata.", headers: ["X-Build-Id"], example: examples.legacyMetadata } },
  },
};

function curl(path: string, options = ""): string {
  return `curl -fsS ${options && `${options} `}"$DBDEPOT_CLIENT_URL/api/v1/database/${path}&apikey=$DBDEPOT_CLIENT_V1_KEY"`;
}
