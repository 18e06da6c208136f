import type { AcceptanceSort, TermsSort } from "@dbdepot/contract/operator/terms";
import { type Selectable, sql } from "kysely";
import type { NamedAcceptance, TermsStore } from "../../domain/terms/store.ts";
import { type TermsSummary, termsId } from "../../domain/terms/terms.ts";
import type { Queries } from "./connection.ts";
import { type ListColumns, selectPage } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { fromTime, inBatches, toTime } from "./values.ts";

const SUMMARY = ["id", "name", "version", "title", "size_bytes", "sha256", "created"] as const;

/** Orders the versions of a document by time, because the text of version 10 comes before that of version 9. */
const CREATED = sql<string>`(terms.created || ' ' || terms.id)`;

const TERMS_COLUMNS: ListColumns<TermsSort> = {
  sorts: { name: sql.ref<string>("terms.name"), created: CREATED },
  default: "-created",
  id: CREATED,
  searched: [sql.ref("terms.id"), sql.ref("terms.title")],
};

/** Ids begin with the time of creation. */
const ACCEPTANCE_ID = sql.ref<string>("terms_acceptances.id");

const ACCEPTANCE_COLUMNS: ListColumns<AcceptanceSort> = {
  sorts: {
    organization: sql<string>`lower(organizations.name)`,
    terms: sql.ref<string>("terms_acceptances.terms_id"),
    created: ACCEPTANCE_ID,
  },
  default: "-created",
  id: ACCEPTANCE_ID,
  searched: [
    "organizations.name",
    "terms_acceptances.terms_id",
    "terms_acceptances.name",
    "terms_acceptances.email",
  ].map((column) => sql.ref<string>(column)),
};

export function sqlTerms(db: Queries, revision: () => number): TermsStore {
  return {
    async insert({ sizeBytes, created, ...terms }) {
      await db
        .insertInto("terms")
        .values({ ...terms, size_bytes: sizeBytes, created: toTime(created) })
        .execute();
    },
    async find({ name, version }) {
      let found = db.selectFrom("terms").selectAll().where("name", "=", name).orderBy("version", "desc").limit(1);
      if (version !== undefined) found = found.where("version", "=", version);
      const row = await found.executeTakeFirst();
      return row && { ...toSummary(row), text: row.text };
    },
    async summaries(ids) {
      const rows = await inBatches(ids, (batch) =>
        db.selectFrom("terms").select(SUMMARY).where("id", "in", batch).execute(),
      );
      return rows.map(toSummary);
    },
    page: (request) =>
      selectPage(
        db
          .selectFrom("terms")
          .select(SUMMARY)
          .select((select) =>
            select
              .selectFrom("terms_acceptances")
              .select(({ fn }) => fn.countAll().as("count"))
              .whereRef("terms_acceptances.terms_id", "=", "terms.id")
              .as("acceptances"),
          ),
        TERMS_COLUMNS,
        request,
        (row) => ({ ...toSummary(row), acceptances: Number(row.acceptances) }),
      ),
    async insertAcceptance(acceptance) {
      await db
        .insertInto("terms_acceptances")
        .values({
          id: acceptance.id,
          organization_id: acceptance.organizationId,
          terms_id: acceptance.termsId,
          sha256: acceptance.sha256,
          account_id: acceptance.accountId,
          name: acceptance.name,
          email: acceptance.email,
          address: acceptance.address,
          created: toTime(acceptance.created),
          revision: revision(),
        })
        .execute();
    },
    async acceptances({ organizationId, terms }, request) {
      let found = db
        .selectFrom("terms_acceptances")
        .innerJoin("organizations", "organizations.id", "terms_acceptances.organization_id")
        .selectAll("terms_acceptances")
        .select("organizations.name as organization_name");
      if (organizationId !== undefined) found = found.where("terms_acceptances.organization_id", "=", organizationId);
      if (terms?.version !== undefined) {
        found = found.where("terms_acceptances.terms_id", "=", termsId(terms.name, terms.version));
      } else if (terms) {
        const versions = db.selectFrom("terms").select("id").where("name", "=", terms.name);
        found = found.where("terms_acceptances.terms_id", "in", versions);
      }
      return selectPage(found, ACCEPTANCE_COLUMNS, request, toAcceptance);
    },
  };
}

function toSummary(row: Omit<Selectable<Schema["terms"]>, "text">): TermsSummary {
  const { id, name, version, title, size_bytes: sizeBytes, sha256, created } = row;
  return { id, name, version, title, sizeBytes, sha256, created: fromTime(created) };
}

function toAcceptance(row: Selectable<Schema["terms_acceptances"]> & { organization_name: string }): NamedAcceptance {
  return {
    id: row.id,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    termsId: row.terms_id,
    sha256: row.sha256,
    accountId: row.account_id,
    name: row.name,
    email: row.email,
    address: row.address,
    created: fromTime(row.created),
  };
}
