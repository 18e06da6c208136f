import type { GeoipMetadata } from "@dbdepot/contract/geoip/editions";
import type { HeaderName } from "../headers.ts";
import type { NotesByRoute } from "./notes.ts";

const HEADERS: readonly HeaderName[] = ["Content-Disposition", "Last-Modified", "X-Build-Id"];
const pathParameters = { id: "A database id, such as `vpn_ip_v1`." };

const metadata: GeoipMetadata = {
  databases: [{ edition_id: "vpn_ip_v1", md5: "7d793037a0760186574b0282f2f435e7", date: "2026-11-01" }],
};

export const GEOIP_NOTES: NotesByRoute = {
  "GET /geoip/updates/metadata": {
    operationId: "getGeoipMetadata",
    tag: "geoipupdate",
    curl: curl("updates/metadata?edition_id=vpn_ip_v1"),
    responses: { 200: { description: "The current builds.", example: metadata } },
  },
  "GET /geoip/databases/:id/download": {
    operationId: "downloadGeoipArchive",
    tag: "geoipupdate",
    curl: curl("databases/vpn_ip_v1/download?suffix=tar.gz", "-o vpn_ip_v1.tar.gz"),
    pathParameters,
    responses: { 200: { description: "The archive.", headers: HEADERS, files: ["application/gzip"] } },
  },
  "GET /geoip/databases/:id/update": {
    operationId: "downloadGeoipFile",
    tag: "geoipupdate",
    curl: curl("databases/vpn_ip_v1/update", "-o vpn_ip_v1.mmdb.gz"),
    pathParameters,
    responses: {
      200: { description: "The file.", headers: [...HEADERS, "X-Database-MD5"], files: ["application/gzip"] },
      304: { description: "The client has the current file. No body.", headers: [...HEADERS, "X-Database-MD5"] },
    },
  },
};

/** Leaves out -u, because the account id is different for every organization; these endpoints accept a bearer key as well. */
function curl(path: string, options = ""): string {
  return `curl -fsS ${options && `${options} `}-H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\\n  "$DBDEPOT_CLIENT_URL/geoip/${path}"`;
}
