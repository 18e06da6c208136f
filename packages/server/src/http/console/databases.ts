import type { BuildHistory, HistoricBuild, LookupQuery, LookupResult } from "@dbdepot/contract/console/databases";
import { FORMATS, type Format, sampleOf } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import type { BuildSummary } from "../../domain/builds/build.ts";
import { decide, type Verdict } from "../../domain/downloads/decide.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import type { PersonContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";

const BUILDS_MAX = 100;

/** The builds of a version that the organization may download. */
export async function getBuilds(context: PersonContext): Promise<BuildHistory | FastifyReply> {
  const { services, reply, id } = context;
  const verdict = verdictOn(context, undefined, false);
  if (!verdict.granted) return sendError(reply, REFUSALS[verdict.refusal].rc);
  const builds = await services.store.builds.list(id, {
    states: ["published", "withdrawn", "removed"],
    limit: BUILDS_MAX,
  });
  const counts = await services.store.changes.counts(builds.map((build) => build.id));
  return {
    id,
    builds: builds.map((build) => ({ ...toWire(build, verdict.build.id), changes: counts.get(build.id) ?? null })),
  };
}

function toWire(build: BuildSummary, currentId: string): Omit<HistoricBuild, "changes"> {
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
export async function getLookup(context: PersonContext<LookupQuery>): Promise<LookupResult | FastifyReply> {
  const { services, reply, query } = context;
  const full = verdictOn(context, "mmdb", false);
  const isLicenceMissing = !full.granted && ["not_licensed", "licence_expired"].includes(full.refusal);
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
  return decide(offer, { licences, format, sample, pinned: false, now });
}
