import { CUSTOMER_ROLES } from "@dbdepot/contract/console/accounts";
import {
  BuildHistory,
  type CurrentBuild,
  CurrentBuilds,
  type HistoricBuild,
  LookupQuery,
  LookupResult,
} from "@dbdepot/contract/console/databases";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { FORMATS, type Format, sampleOf } from "@dbdepot/contract/shared/formats";
import { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import type { FastifyReply } from "fastify";
import type { Build, BuildSummary } from "../../domain/builds/build.ts";
import { decide, type Verdict } from "../../domain/downloads/decide.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import { isVisible } from "../../domain/licences/standing.ts";
import { signatureToWire } from "../../domain/manifests/wire.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";

const BUILDS_MAX = 100;

/** Builds never change, so each is described once. */
const descriptions = new WeakMap<Build, CurrentBuild>();

export const DATABASE_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/databases",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getCurrentBuilds,
    summary: "List the current builds of the catalogue",
    description:
      "Returns the columns, rows, sizes and date of the current build of every database that your organization can see, licensed or not.",
    query: NoQuery,
    response: CurrentBuilds,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/databases/:id/metadata",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getMetadata,
    summary: "Describe a database",
    description:
      "Returns the metadata of the current build with its columns and a few rows, also if your organization has no licence.",
    query: NoQuery,
    response: DatabaseMetadata,
    errors: ["UNKNOWN_DATASET", "NOT_AVAILABLE"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/databases/:id",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getBuilds,
    summary: "List the builds of a database",
    description:
      "Returns the builds of a version that you may download, with rows, sizes and checksums, newest first. Builds that are no longer kept stay in the list.",
    query: NoQuery,
    response: BuildHistory,
    errors: ["NOT_LICENSED", "LICENSE_EXPIRED", "TERMS_NOT_ACCEPTED", "UNKNOWN_DATASET"],
  }),
  endpoint({
    method: "GET",
    url: "/api/console/databases/:id/lookup",
    scope: "account",
    roles: CUSTOMER_ROLES,
    respond: getLookup,
    summary: "Look up an address",
    description:
      "Returns the record of an address in the current MMDB file, or in its sample if your organization has no licence.",
    query: LookupQuery,
    response: LookupResult,
    errors: ["INVALID_FORMAT", "NOT_LICENSED", "LICENSE_EXPIRED", "TERMS_NOT_ACCEPTED", "UNKNOWN_DATASET"],
  }),
];

/** The current build of every version that the organization can see. Unlike a download, this needs no licence. */
async function getCurrentBuilds({ services, caller }: PersonContext): Promise<CurrentBuilds> {
  const { register } = services;
  const organizationId = caller.account.organizationId ?? "";
  const builds: CurrentBuild[] = [];
  for (const { family, versions } of register.families) {
    if (!isVisible(family, register.licences(organizationId, family.base))) continue;
    for (const version of versions) {
      const build = register.isListed(version) ? register.offer(version.id)?.build : undefined;
      if (build) builds.push(descriptionOf(build));
    }
  }
  return { builds };
}

function descriptionOf(build: Build): CurrentBuild {
  let description = descriptions.get(build);
  if (!description) {
    const { id, updated, entries, schema, size, sample_entries, sample_size } = parse(build);
    const columns = (schema.csvgz ?? schema.mmdb ?? []).map(({ name }) => name);
    description = {
      id,
      updated,
      entries,
      size,
      columns,
      ...(sample_entries !== undefined && { sample_entries }),
      ...(sample_size && { sample_size }),
    };
    descriptions.set(build, description);
  }
  return description;
}

/** The metadata document of the current build, for everyone who can see the database: what they would get with a licence. */
async function getMetadata({ services, caller, reply, id }: PersonContext): Promise<DatabaseMetadata | FastifyReply> {
  const offer = services.register.offer(id);
  const organizationId = caller.account.organizationId ?? "";
  const licences = offer ? services.register.licences(organizationId, offer.family.base) : [];
  if (!offer || offer.version.archived || !isVisible(offer.family, licences))
    return sendError(reply, "UNKNOWN_DATASET");
  return offer.build ? parse(offer.build) : sendError(reply, "NOT_AVAILABLE");
}

/** Publishing has validated the document. */
function parse({ metadata }: Build): DatabaseMetadata {
  return JSON.parse(metadata.toString());
}

/** The builds of a version that the organization may download. */
async function getBuilds(context: PersonContext): Promise<BuildHistory | FastifyReply> {
  const { services, reply, id } = context;
  const verdict = verdictOn(context, undefined, false);
  if (!verdict.granted) return sendError(reply, REFUSALS[verdict.refusal].rc);
  const builds = await services.store.builds.list(id, {
    states: ["published", "withdrawn", "removed"],
    limit: BUILDS_MAX,
  });
  const ids = builds.map((build) => build.id);
  const signatures = await services.store.manifests.signaturesOf(id, ids);
  const counts = await services.store.changes.counts(ids);
  return {
    id,
    builds: builds.map((build) => ({
      ...toWire(build, verdict.build.id),
      signature: signatureToWire(signatures.get(build.id)),
      changes: counts.get(build.id) ?? null,
    })),
  };
}

function toWire(build: BuildSummary, currentId: string): Omit<HistoricBuild, "changes" | "signature"> {
  const files = FORMATS.flatMap((format) => {
    const file = build.files[format];
    return file ? [[format, { size_bytes: file.sizeBytes, checksums: file.checksums }]] : [];
  });
  return {
    id: build.id,
    current: build.id === currentId,
    available: build.state === "published",
    withdrawn: build.withdrawn && { at: build.withdrawn.toISOString(), reason: build.withdrawnReason ?? null },
    updated: build.updated,
    published: (build.published ?? build.created).toISOString(),
    entries: build.entries,
    files: Object.fromEntries(files),
  };
}

/** Looks in the full file if the organization may download it, otherwise in the sample. */
async function getLookup(context: PersonContext<LookupQuery>): Promise<LookupResult | FastifyReply> {
  const { services, reply, query } = context;
  const full = verdictOn(context, "mmdb", false);
  const isLicenceMissing =
    !full.granted && ["not_licensed", "licence_expired", "terms_not_accepted"].includes(full.refusal);
  const ofSample = isLicenceMissing ? verdictOn(context, "mmdb", true) : full;
  const sample = isLicenceMissing && ofSample.granted;
  const verdict = sample ? ofSample : full;
  if (!verdict.granted) return sendError(reply, REFUSALS[verdict.refusal].rc);
  const file = verdict.build.files[sample ? sampleOf("mmdb") : "mmdb"];
  if (!file) return sendError(reply, "NOT_AVAILABLE");
  const found = await services.console.lookups.find(file, query.address);
  return { address: query.address.trim(), ...found, build_id: verdict.build.id, sample };
}

function verdictOn(context: PersonContext<unknown>, format: Format | undefined, sample: boolean): Verdict {
  const { services, caller, id, now } = context;
  const offer = services.register.offer(id);
  const organizationId = caller.account.organizationId ?? "";
  const licences = offer ? services.register.licences(organizationId, offer.family.base) : [];
  const acceptedTerms = services.register.acceptedTerms(organizationId);
  return decide(offer, { licences, acceptedTerms, format, sample, pinned: false, now });
}
