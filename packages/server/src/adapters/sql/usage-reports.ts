import type { UsageSort } from "@dbdepot/contract/operator/usage";
import { type RawBuilder, sql } from "kysely";
import { monthOf } from "../../domain/usage/days.ts";
import type { UsageFilter, UsageRow, UsageStore } from "../../domain/usage/store.ts";
import type { UsageTotals } from "../../domain/usage/usage.ts";
import type { Queries } from "./connection.ts";
import { containsWords, type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";

interface ReportRow extends Omit<Schema["usage_days"], "day"> {
  period: string;
}

/** PostgreSQL returns the sum of bigints as text, unless it is cast. */
const SUMS = sql`cast(coalesce(sum(first_downloads), 0) as bigint) as first_downloads,
  cast(coalesce(sum(repeats), 0) as bigint) as repeats, cast(coalesce(sum(refused), 0) as bigint) as refused,
  cast(coalesce(sum(bytes), 0) as bigint) as bytes,
  cast(coalesce(sum(saved_bytes), 0) as bigint) as saved_bytes, coalesce(max(keys), 0) as keys,
  coalesce(max(addresses), 0) as addresses`;

const SEARCHED = [sql<string>`organizations.name`, sql<string>`organizations.id`];

const COLUMNS: ListColumns<UsageSort> = {
  sorts: {
    period: sql<string>`lines.period`,
    organization: sql<string>`organizations.name`,
    database: sql<string>`lines.dataset_id || '/' || lines.format`,
    downloads: sql<number>`lines.first_downloads + lines.repeats`,
    refused: sql<number>`lines.refused`,
    bytes: sql<number>`lines.bytes`,
    saved: sql<number>`lines.saved_bytes`,
  },
  numbers: ["downloads", "refused", "bytes", "saved"],
  default: "-period",
  id: sql<string>`lines.organization_id || '/' || lines.period || '/' || lines.dataset_id || '/' || lines.format`,
  searched: SEARCHED,
};

export function sqlUsageReports(db: Queries): Pick<UsageStore, "page" | "totals"> {
  return {
    page(filter, request) {
      const query = db
        .selectFrom(sql<ReportRow>`${linesOf(filter)}`.as("lines"))
        .innerJoin("organizations", "organizations.id", "lines.organization_id")
        .selectAll("lines")
        .select("organizations.name as organization_name");
      const isByDatabase = filter.by === "database";
      const sort = request.sort ?? (isByDatabase ? "database" : "-period");
      return selectPage(
        query,
        COLUMNS,
        { ...request, sort },
        (row): UsageRow => ({
          organizationId: row.organization_id,
          organizationName: row.organization_name,
          period: isByDatabase ? undefined : row.period,
          datasetId: isByDatabase ? row.dataset_id : undefined,
          format: isByDatabase ? row.format : undefined,
          ...toTotals(row),
        }),
      );
    },
    async totals(filter, search) {
      const { from, where } = sourceOf(filter);
      const matching = search
        ? sql`and organization_id in (select id from organizations where ${containsWords(search, SEARCHED)})`
        : sql``;
      const { rows } = await sql<Totals>`select ${SUMS} from ${from} where ${where} ${matching}`.execute(db);
      return toTotals(rows[0] as Totals);
    },
  };
}

type Totals = Pick<
  ReportRow,
  "first_downloads" | "repeats" | "refused" | "bytes" | "saved_bytes" | "keys" | "addresses"
>;

function toTotals({ first_downloads, saved_bytes, repeats, refused, bytes, keys, addresses }: Totals): UsageTotals {
  return { firstDownloads: first_downloads, repeats, refused, bytes, savedBytes: saved_bytes, keys, addresses };
}

/** The lines of a report, without the names of the organizations. */
function linesOf(filter: UsageFilter): RawBuilder<ReportRow> {
  const { from, where, period } = sourceOf(filter);
  if (filter.by === "database") {
    return sql`(select organization_id, '' as period, dataset_id, format, ${SUMS} from ${from} where ${where}
      group by organization_id, dataset_id, format)`;
  }
  return sql`(select organization_id, ${period} as period, '' as dataset_id, '' as format, ${SUMS}
    from ${from} where ${where} group by organization_id, ${period})`;
}

interface Source {
  from: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
  /** The day or month of a line. */
  period: RawBuilder<unknown>;
}

/** The table with the fewest rows that has the answer. */
function sourceOf({ by, isWholeMonths, from, to, organizationId }: UsageFilter): Source {
  const ofOrganization = organizationId === undefined ? sql`` : sql`and organization_id = ${organizationId}`;
  if (isWholeMonths && by !== "day") {
    const where = sql`month >= ${monthOf(from)} and month < ${monthOf(to)} ${ofOrganization}`;
    return { from: sql`usage_months`, where, period: sql`month` };
  }
  const where = sql`day >= ${from} and day < ${to} ${ofOrganization}`;
  return { from: sql`usage_days`, where, period: by === "month" ? sql`substr(day, 1, 7)` : sql`day` };
}
