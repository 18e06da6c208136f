import { CUSTOMERS_MAX_BYTES, CustomersImport, ExportQuery, ImportQuery } from "@dbdepot/contract/operator/customers";
import type { FastifyRequest } from "fastify";
import { requireOrganization } from "../../domain/access/find-organization.ts";
import { formatCustomersCsv } from "../../domain/customers/csv-file.ts";
import { exportCustomers } from "../../domain/customers/export.ts";
import { type CustomerFormat, importCustomers } from "../../domain/customers/import.ts";
import { customersDocument } from "../../domain/customers/json-file.ts";
import { utcDayOf } from "../../platform/primitives/dates.ts";
import { endpoint } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { readUpTo } from "./read-up-to.ts";
import { rawBody } from "./upload.ts";

/** The file is checked on the main thread, so it must not occupy it for long. */
const MAX_RECORDS = 20_000;

export const CUSTOMER_ROUTES = [
  endpoint({
    method: "POST",
    url: "/api/operator/customers/import",
    scope: "operator.write",
    isBodyRaw: true,
    summary: "Import customers",
    query: ImportQuery,
    response: CustomersImport,
    errors: ["TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
    async respond({ operation, query, request, reply }) {
      const format = formatOf(request);
      if (!format) return sendError(reply, "UNSUPPORTED_MEDIA_TYPE", { message: "send application/json or text/csv" });
      const bytes = await readUpTo(rawBody(request), CUSTOMERS_MAX_BYTES);
      if (bytes.length > CUSTOMERS_MAX_BYTES) {
        const message = `the file is larger than ${CUSTOMERS_MAX_BYTES / 1024 / 1024} MiB: import it in parts, or with "dbdepot-server customers import"`;
        return sendError(reply, "TOO_LARGE", { message });
      }
      const file = { bytes, format, maxRecords: MAX_RECORDS };
      const { result } = await importCustomers(operation, file, { isDryRun: query.dry_run ?? false });
      return result;
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/customers/export",
    scope: "operator.read",
    summary: "Export customers",
    query: ExportQuery,
    async respond({ services: { store }, query: { org, format = "json" }, request, reply, now }) {
      const organizations =
        org === undefined ? await store.organizations.list() : [await requireOrganization(store, org)];
      const records = await exportCustomers(store, organizations);
      reply
        .type(format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/json; charset=utf-8")
        .header("content-disposition", `attachment; filename="customers-${utcDayOf(now)}.${format}"`);
      if (request.method === "HEAD") return reply.send();
      return reply.send(format === "csv" ? formatCustomersCsv(records) : customersDocument(records));
    },
  }),
];

function formatOf({ headers }: FastifyRequest): CustomerFormat | undefined {
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return "json";
  return type === "text/csv" ? "csv" : undefined;
}
