import {
  PageParameters,
  SchemaList,
  ShareList,
  ShareResponse,
  TableChangesQuery,
  TableList,
  TableQuery,
  TableVersionQuery,
} from "@dbdepot/contract/delta-sharing/tables";
import { recordUnauthorized } from "../attempts.ts";
import type { KeyRoute, Route } from "../route.ts";
import { schemas, share, shares, tables } from "./catalogue.ts";
import { sharingError } from "./errors.ts";
import { queryTable, requestedTable, tableChanges, tableMetadata, tableVersion } from "./table.ts";

const COMMON = { scope: "db.download", bearerOnly: true, errorBody: sharingError } as const satisfies Partial<KeyRoute>;
const SHARE = "/delta-sharing/shares/:share";
const TABLE = `${SHARE}/schemas/:schema/tables/:table`;

/** Reasons to refuse anything about a table. */
const TABLE_ERRORS = [
  "UNAUTHORIZED",
  "NOT_LICENSED",
  "LICENSE_EXPIRED",
  "TERMS_NOT_ACCEPTED",
  "UNKNOWN_DATASET",
  "NOT_AVAILABLE",
] as const;
/** Links need no stream, of which an organization may have a limited number. */
const ROW_ERRORS = [
  "INVALID_REQUEST",
  ...TABLE_ERRORS,
  "UNKNOWN_BUILD",
  "VERSION_GONE",
  "RATE_LIMITED",
  "DOWNLOADS_USED_UP",
  "BYTES_USED_UP",
] as const;

/** The protocol Delta Sharing, by which pandas, Spark, DuckDB and other programs read tables with a profile file. */
export const DELTA_SHARING_ROUTES: readonly Route[] = [
  {
    ...COMMON,
    method: "GET",
    url: "/delta-sharing/shares",
    handler: shares,
    summary: "List shares",
    description: "Returns the families whose tables you can read.",
    query: PageParameters,
    response: ShareList,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED"],
  },
  {
    ...COMMON,
    method: "GET",
    url: SHARE,
    handler: share,
    summary: "Get a share",
    response: ShareResponse,
    errors: ["UNAUTHORIZED", "UNKNOWN_DATASET"],
  },
  {
    ...COMMON,
    method: "GET",
    url: `${SHARE}/schemas`,
    handler: schemas,
    summary: "List the schemas of a share",
    query: PageParameters,
    response: SchemaList,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED", "UNKNOWN_DATASET"],
  },
  {
    ...COMMON,
    method: "GET",
    url: `${SHARE}/schemas/:schema/tables`,
    handler: tables,
    summary: "List the tables of a schema",
    query: PageParameters,
    response: TableList,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED", "UNKNOWN_DATASET"],
  },
  {
    ...COMMON,
    method: "GET",
    url: `${SHARE}/all-tables`,
    handler: tables,
    summary: "List all tables of a share",
    query: PageParameters,
    response: TableList,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED", "UNKNOWN_DATASET"],
  },
  {
    ...COMMON,
    method: "GET",
    url: `${TABLE}/version`,
    handler: tableVersion,
    isPolled: true,
    summary: "Get the version of a table",
    description: "The response has no body: the version is in the header `Delta-Table-Version`.",
    query: TableVersionQuery,
    errors: ["INVALID_REQUEST", ...TABLE_ERRORS, "UNKNOWN_BUILD"],
  },
  {
    ...COMMON,
    method: "GET",
    url: `${TABLE}/metadata`,
    handler: tableMetadata,
    summary: "Get the columns of a table",
    description: "Returns one JSON object a line: the protocol and the metadata of the newest version.",
    errors: TABLE_ERRORS,
  },
  {
    ...COMMON,
    method: "POST",
    url: `${TABLE}/query`,
    handler: queryTable,
    onUnauthorized: recordUnauthorized("tables", "UNAUTHORIZED", requestedTable),
    summary: "Read a table",
    description:
      "Returns one JSON object a line: the protocol, the metadata, and the Parquet files with all rows of a version, with links that work for hours. Every attempt, granted or refused, is recorded in the history before the response is sent. Fetching the links is not.",
    body: TableQuery,
    isBodyOptional: true,
    errors: [...ROW_ERRORS, "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  },
  {
    ...COMMON,
    method: "GET",
    url: `${TABLE}/changes`,
    handler: tableChanges,
    onUnauthorized: recordUnauthorized("tables", "UNAUTHORIZED", requestedTable),
    summary: "Read the changes of a table",
    description:
      "Returns one JSON object a line: the protocol, the metadata, and Parquet files with the rows that changed from version to version, with a column `_change_type`. It is a download in the history, like a query.",
    query: TableChangesQuery,
    errors: ROW_ERRORS,
  },
];
