import {
  SCHEMA_NAME,
  type SchemaList,
  type ShareList,
  type ShareResponse,
  type TableList,
} from "@dbdepot/contract/delta-sharing/tables";
import type { HeaderName } from "../headers.ts";
import type { NotesByRoute } from "./notes.ts";

const TAG = "Tables";
const HEADERS: readonly HeaderName[] = ["Delta-Table-Version", "Delta-Sharing-Capabilities"];
const share = "A family, such as `vpn_ip`. Case-insensitive.";
const schema = "Always `default`.";
const tablePath = { share, schema, table: "The id of a version, such as `vpn_ip_v1`. Case-insensitive." };
const SHARE = "/delta-sharing/shares/:share";
const TABLE = `${SHARE}/schemas/:schema/tables/:table`;

const shareList: ShareList = { items: [{ name: "vpn_ip" }] };
const shareResponse: ShareResponse = { share: { name: "vpn_ip" } };
const schemaList: SchemaList = { items: [{ name: SCHEMA_NAME, share: "vpn_ip" }] };
const tableList: TableList = { items: [{ name: "vpn_ip_v1", schema: SCHEMA_NAME, share: "vpn_ip" }] };

const lines = (description: string) => ({ description, headers: HEADERS, files: ["application/x-ndjson"] });

export const DELTA_SHARING_NOTES: NotesByRoute = {
  "GET /delta-sharing/shares": {
    operationId: "listShares",
    tag: TAG,
    curl: curl("shares"),
    responses: { 200: { description: "The shares.", example: shareList } },
  },
  [`GET ${SHARE}`]: {
    operationId: "getShare",
    tag: TAG,
    curl: curl("shares/vpn_ip"),
    pathParameters: { share },
    responses: { 200: { description: "The share.", example: shareResponse } },
  },
  [`GET ${SHARE}/schemas`]: {
    operationId: "listShareSchemas",
    tag: TAG,
    curl: curl("shares/vpn_ip/schemas"),
    pathParameters: { share },
    responses: { 200: { description: "The schemas.", example: schemaList } },
  },
  [`GET ${SHARE}/schemas/:schema/tables`]: {
    operationId: "listSchemaTables",
    tag: TAG,
    curl: curl("shares/vpn_ip/schemas/default/tables"),
    pathParameters: { share, schema },
    responses: { 200: { description: "The tables.", example: tableList } },
  },
  [`GET ${SHARE}/all-tables`]: {
    operationId: "listShareTables",
    tag: TAG,
    curl: curl("shares/vpn_ip/all-tables"),
    pathParameters: { share },
    responses: { 200: { description: "The tables.", example: tableList } },
  },
  [`GET ${TABLE}/version`]: {
    operationId: "getTableVersion",
    tag: TAG,
    curl: curl("shares/vpn_ip/schemas/default/tables/vpn_ip_v1/version", "-D - -o /dev/null"),
    pathParameters: tablePath,
    responses: { 200: lines("The version, in a header.") },
  },
  [`GET ${TABLE}/metadata`]: {
    operationId: "getTableMetadata",
    tag: TAG,
    curl: curl("shares/vpn_ip/schemas/default/tables/vpn_ip_v1/metadata"),
    pathParameters: tablePath,
    responses: { 200: lines("The protocol and the metadata.") },
  },
  [`POST ${TABLE}/query`]: {
    operationId: "queryTable",
    tag: TAG,
    curl: curl("shares/vpn_ip/schemas/default/tables/vpn_ip_v1/query", "--json '{}'"),
    pathParameters: tablePath,
    request: {
      description: "Which rows are wanted (default: all of the newest version).",
      example: { limitHint: 1000 },
    },
    responses: { 200: lines("The protocol, the metadata, and the files.") },
  },
  [`GET ${TABLE}/changes`]: {
    operationId: "getTableChanges",
    tag: TAG,
    curl: curl("shares/vpn_ip/schemas/default/tables/vpn_ip_v1/changes?startingVersion=1"),
    pathParameters: tablePath,
    responses: { 200: lines("The protocol, the metadata, and the files with changes.") },
  },
};

function curl(path: string, options = ""): string {
  return `curl -fsS ${options && `${options} `}-H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\\n  "$DBDEPOT_CLIENT_URL/delta-sharing/${path}"`;
}
