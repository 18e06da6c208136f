import { BuildCheck } from "@dbdepot/contract/operator/build-check";
import * as responses from "@dbdepot/contract/operator/builds";
import {
  BuildListQuery,
  BuildsQuery,
  CsvQuery,
  PublishBuildRequest,
  RollBackRequest,
  UploadQuery,
  WithdrawRequest,
} from "@dbdepot/contract/operator/builds";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { FILE_KINDS } from "@dbdepot/contract/shared/formats";
import { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import { changesBetween } from "../../domain/builds/changes/comparison-job.ts";
import { DOCUMENT_MAX_BYTES, readDocument } from "../../domain/builds/document.ts";
import { checkBuild } from "../../domain/builds/publishing/dry-run.ts";
import { publishBuild } from "../../domain/builds/publishing/publish.ts";
import { discardBuild, requireStaged, stageBuild } from "../../domain/builds/publishing/stage.ts";
import { BuildRefused } from "../../domain/builds/refusal.ts";
import { rollBack, withdrawBuild } from "../../domain/builds/rollback.ts";
import { buildToWire, publishedToWire } from "../../domain/builds/wire.ts";
import { requireVersion } from "../../domain/catalogue/catalogue.ts";
import { listedBuilds } from "../../domain/patches/listed-builds.ts";
import { notFound } from "../../platform/primitives/faults.ts";
import { endpoint } from "../endpoint.ts";
import { byId, pageOf } from "../page.ts";
import { createFromCsv } from "./from-csv.ts";
import { changesOf, redirectToFile } from "./published-build.ts";
import { readUpTo } from "./read-up-to.ts";
import { abortUpload, putFile, rawBody, uploadOf } from "./upload.ts";

/** Long enough for most builds. The console shows the rest of the check while larger ones are compared. */
const CHECK_WAIT_MS = 1500;

export const BUILD_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/builds",
    scope: "operator.read",
    summary: "List the builds of a version",
    query: BuildListQuery,
    response: responses.BuildList,
    async respond(context) {
      const { store } = context.services;
      const version = await requireVersion(store, context.query.version);
      const page = await pageOf(context, byId, ({ limit, from }) =>
        store.builds.list(version.id, { limit, before: from }),
      );
      return { builds: await listedBuilds(store, version, page) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/builds",
    scope: "builds.publish",
    isBodyRaw: true,
    summary: "Create a build",
    query: BuildsQuery,
    response: responses.BuildUpload,
    async respond({ services, operation, query, request }) {
      const document = await readUpTo(rawBody(request), DOCUMENT_MAX_BYTES);
      const read = await readDocument(document);
      // Refuse it before gigabytes are sent. Publication checks the document again, together with the files.
      if ("faults" in read) {
        throw new BuildRefused(
          "faulty",
          read.faults.map((fault) => `metadata: ${fault}`),
        );
      }
      return uploadOf(services, await stageBuild(operation, { versionId: query.version, document }));
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/builds/from-csv",
    scope: "builds.publish",
    isBodyRaw: true,
    summary: "Create a build from a CSV",
    query: CsvQuery,
    respond: createFromCsv,
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/builds/:id",
    scope: "builds.publish",
    summary: "Get a build and its upload progress",
    query: NoQuery,
    response: responses.BuildUpload,
    async respond({ services, id }) {
      const build = await services.store.builds.byId(id);
      if (!build) throw notFound(`there is no build "${id}"`);
      return uploadOf(services, build);
    },
  }),
  endpoint({
    method: "PUT",
    url: "/api/operator/builds/:id/files/:format",
    scope: "builds.publish",
    isBodyRaw: true,
    summary: "Upload a file of a build",
    query: UploadQuery,
    response: responses.BuildUpload,
    respond: putFile,
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/builds/:id/files/:format",
    scope: "operator.read",
    summary: "Download a file of a build",
    query: NoQuery,
    respond: redirectToFile,
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/builds/:id/changes",
    scope: "operator.read",
    summary: "Get what a build changed",
    query: NoQuery,
    response: DatabaseChanges,
    respond: ({ services, id }) => changesOf(services, id),
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/builds/:id/check",
    scope: "builds.publish",
    summary: "Check a build before publishing it",
    query: NoQuery,
    response: BuildCheck,
    respond: ({ services, id }) =>
      checkBuild(services.store, id, ({ before, after }) =>
        changesBetween(services, { from: before.id, to: after.id }, CHECK_WAIT_MS),
      ),
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/builds/:id/publish",
    scope: "builds.publish",
    summary: "Publish a build",
    body: PublishBuildRequest,
    isBodyOptional: true,
    response: responses.PublishedBuild,
    async respond({ services, operation, id, body: { force = false, keep } }) {
      const { objects, linkTtlSeconds } = services;
      const retention = keep === undefined ? {} : { retention: { keep, linkTtlSeconds } };
      const stopTimer = services.metrics.publishSeconds.startTimer();
      const published = await publishBuild(operation, objects, id, { force, ...retention });
      stopTimer();
      return publishedToWire(published);
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/builds/:id/discard",
    scope: "builds.publish",
    summary: "Discard an unpublished build",
    response: responses.BuildUpload,
    async respond({ services, operation, id }) {
      const build = await requireStaged(services.store, id);
      // An upload that was interrupted may still be storing what has arrived.
      for (const kind of FILE_KINDS) await abortUpload(`${id} ${kind}`);
      await discardBuild(operation, services.objects, build);
      return { ...buildToWire(build, null), received: {} };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/builds/:id/withdraw",
    scope: "builds.publish",
    summary: "Withdraw a build",
    body: WithdrawRequest,
    isBodyOptional: true,
    response: responses.WithdrawnBuild,
    async respond({ operation, id, body: { reason } }) {
      const { build, currentBuildId } = await withdrawBuild(operation, id, reason);
      return { ...buildToWire(build, currentBuildId), current_build_id: currentBuildId };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/versions/:id/rollback",
    scope: "builds.publish",
    summary: "Roll back a version",
    body: RollBackRequest,
    isBodyOptional: true,
    response: responses.RolledBackBuild,
    async respond({ operation, id, body }) {
      const build = await rollBack(operation, { versionId: id, to: body.to });
      return { build_id: build.id, ...buildToWire(build, build.id) };
    },
  }),
];
