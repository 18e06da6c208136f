import { DESTINATION_SORTS } from "@dbdepot/contract/operator/destinations";
import { type Format, isFormat } from "@dbdepot/contract/shared/formats";
import { ACCESS_WAYS, type AccessWay, BUILDS_KEPT, ENCRYPTIONS } from "@dbdepot/contract/v2/destinations";
import { type Command, examples, Option, type Result } from "@dbdepot/terminal/command";
import { formatBytes, formatTime } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { integer, parseList } from "@dbdepot/terminal/values";
import {
  organizationIdOf,
  requireActiveOrganization,
  requireOrganization,
} from "../domain/access/find-organization.ts";
import { type Destination, locationOf, objectKeyIn, ownershipPath } from "../domain/destinations/destination.ts";
import {
  allowDestinations,
  createDestination,
  type DestinationRequest,
  deleteDestination,
  requireDestination,
  rotateSecrets,
  updateDestination,
} from "../domain/destinations/destinations.ts";
import { testDestination } from "../domain/destinations/try.ts";
import {
  bucketDeliveryToWire,
  destinationToOperatorWire,
  permissionToWire,
  testToWire,
} from "../domain/destinations/wire.ts";
import type { Tables } from "../domain/store.ts";
import { invalid } from "../platform/primitives/faults.ts";
import { readPrivately } from "../platform/primitives/private-file.ts";
import { openBuckets } from "../service/buckets.ts";
import type { CommandContext, Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";

const DELIVERIES_SHOWN = 50;
const ALL = "all";

/** The options that `create` and `update` have in common. */
const PREFIX = ["--prefix <prefix>", "folder in the bucket"] as const;
const ENDPOINT = ["--endpoint <url>", 'address of the storage, or "aws" (default: AWS)'] as const;
const ACCESS = new Option("--access <way>", "how the service is let in (default: vendor)").choices(ACCESS_WAYS);
const ROLE = ["--role <arn>", "role to assume, with --access role"] as const;
const KEY_ID = ["--key-id <id>", "id of the access key, with --access keys"] as const;
const SECRET = ["--secret-key-file <file>", "file with the secret of the access key, which only you can read"] as const;
const ENCRYPTION = new Option("--encryption <name>", "server-side encryption to ask for").choices([
  ...ENCRYPTIONS,
  "none",
] as const);
const FAMILIES = ["--families <list>", `comma-separated families, or "${ALL}" (default: all)`, parseList] as const;
const FORMATS = ["--formats <list>", `comma-separated formats, or "${ALL}" (default: all)`, parseList] as const;
const KEEP = [
  "--keep <n>",
  `builds of each database to keep (default: ${BUILDS_KEPT.default})`,
  integer(BUILDS_KEPT.minimum, BUILDS_KEPT.maximum),
] as const;
const DESCRIPTION = ["--description <text>", "what it is for"] as const;

export function addDestinationCommands(program: Command, run: Run): void {
  const destinations = program
    .command("destinations")
    .description("Manage the buckets of organizations to which builds are delivered");

  destinations
    .command("list")
    .description("List destinations, of all organizations or of one")
    .argument("[org]", "organization, by id or exact name")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(DESTINATION_SORTS))
    .action(
      run(async ({ output, store: openStore }, org, request) => {
        const store = await openStore();
        const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]));
        const organizationId = await organizationIdOf(store, org);
        const { items: found } = await store.destinations.page({ organizationId }, request);
        const databases = await store.destinations.databases(found.map(({ id }) => id));
        return {
          json: found.map((destination) => destinationToOperatorWire(destination, databases)),
          text: output.table(
            ["BUCKET", "ORGANIZATION", "STATE", "ACCESS", "LAST DELIVERED", "ID"],
            found.map((destination) => [
              locationOf(destination.place),
              names.get(destination.organizationId),
              stateOf(destination),
              destination.access.way,
              destination.progress.lastDelivered ? formatTime(destination.progress.lastDelivered) : "never",
              destination.id,
            ]),
            request.search ? "No destination matches." : "No destinations yet.",
          ),
        };
      }),
    );

  for (const [name, isAllowed, description] of [
    ["allow", true, "Let an organization have builds delivered to its buckets"],
    ["disallow", false, "Stop all deliveries to buckets of an organization"],
  ] as const) {
    destinations
      .command(name)
      .description(description)
      .argument("<org>", "organization, by id or exact name")
      .action(
        run(async ({ output, operation }, org) => {
          const change = await operation();
          const owner = (tables: Tables) => requireOrganization(tables, org);
          const permission = await allowDestinations(change, owner, isAllowed);
          const json = permissionToWire(permission, change.rules);
          const { allowed, principal, external_id: externalId, ways } = json;
          return {
            json,
            text: output.details({ allowed: allowed ? "yes" : "no", ways, principal, "external id": externalId }),
          };
        }),
      );
  }

  destinations
    .command("create")
    .description("Add a bucket and show the object that proves that it is the organization's")
    .requiredOption("--org <org>", "organization, by id or exact name")
    .requiredOption("--bucket <bucket>", "name of the bucket")
    .requiredOption("--region <region>", "region of the bucket")
    .option(...PREFIX)
    .option(...ENDPOINT)
    .addOption(ACCESS)
    .option(...ROLE)
    .option(...KEY_ID)
    .option(...SECRET)
    .addOption(ENCRYPTION)
    .option(...FAMILIES)
    .option(...FORMATS)
    .option(...KEEP)
    .option(...DESCRIPTION)
    .addHelpText(
      "after",
      examples(
        "dbdepot-server destinations create --org Acme --bucket acme-data --prefix dbdepot \\",
        "  --region eu-west-1 --access role --role arn:aws:iam::123456789012:role/dbdepot",
      ),
    )
    .action(
      run(async ({ output, operation }, { org, bucket, region, ...options }) => {
        const owner = (tables: Tables) => requireActiveOrganization(tables, org);
        const { access = "vendor", ...settings } = await settingsOf(options);
        const created = await createDestination(await operation(), owner, { bucket, region, access, ...settings });
        return shown(output, created);
      }),
    );

  destinations
    .command("update")
    .description("Change a destination, or pause or continue its deliveries")
    .argument("<destination>", "destination id")
    .option("--bucket <bucket>", "name of another bucket")
    .option("--region <region>", "region of the bucket")
    .option("--resume", "deliver again, beginning with what is missing")
    .option("--pause", "deliver nothing more")
    .option(...PREFIX)
    .option(...ENDPOINT)
    .addOption(ACCESS)
    .option(...ROLE)
    .option(...KEY_ID)
    .option(...SECRET)
    .addOption(ENCRYPTION)
    .option(...FAMILIES)
    .option(...FORMATS)
    .option(...KEEP)
    .option(...DESCRIPTION)
    .action(
      run(async ({ output, operation }, id, { bucket, region, resume, pause, ...options }) => {
        if (resume && pause) throw invalid("use either --resume or --pause");
        const isEnabled = resume ? true : pause ? false : undefined;
        const changes = { bucket, region, isEnabled, ...(await settingsOf(options)) };
        return shown(output, await updateDestination(await operation(), subjectOf(id), changes));
      }),
    );

  destinations
    .command("delete")
    .description("Delete a destination and the log of its deliveries; the files stay in the bucket")
    .argument("<destination>", "destination id")
    .action(
      run(async ({ operation }, id) => {
        const { id: deleted, place } = await deleteDestination(await operation(), subjectOf(id));
        return {
          json: { id: deleted },
          text: `Deleted the destination ${locationOf(place)}. Its files are still there.\n`,
        };
      }),
    );

  destinations
    .command("test")
    .description("Check the proof of ownership, write, read and delete an object, and say which step fails")
    .argument("<destination>", "destination id")
    .action(
      run(async (context, id) => {
        const operation = await context.operation();
        const steps = testToWire(await testDestination(operation, await bucketsOf(context), subjectOf(id)));
        return {
          json: steps,
          text: context.output.table(
            ["STEP", "RESULT"],
            steps.steps.map(({ step, ok, error }) => [step, ok ? "ok" : error]),
            "",
          ),
          exitCode: steps.ok ? 0 : 1,
        };
      }),
    );

  destinations
    .command("deliveries")
    .description("List the latest deliveries to a bucket, newest first")
    .argument("<destination>", "destination id")
    .action(
      run(async ({ output, store: openStore }, id) => {
        const store = await openStore();
        const { id: destinationId } = await requireDestination(store, id);
        const found = await store.destinations.deliveries({ destinationId, limit: DELIVERIES_SHOWN });
        return {
          json: found.map(bucketDeliveryToWire),
          text: output.table(
            ["TIME", "DATABASE", "OUTCOME", "FILES", "SIZE", "BUILD", "ERROR"],
            found.map(({ created, versionId, outcome, files, bytes, buildId, error }) => [
              formatTime(created),
              versionId,
              outcome,
              files,
              formatBytes(bytes),
              buildId,
              error,
            ]),
            "No deliveries yet.",
          ),
        };
      }),
    );
}

/** The key that encrypts access keys of buckets. */
export function addSecretCommands(program: Command, run: Run): void {
  const secrets = program
    .command("secrets")
    .description("Manage the key that encrypts access keys of customers' buckets");

  secrets
    .command("add-key")
    .description("Write a new key in front of the others into the file of DBDEPOT_SECRETS_KEY_FILE")
    .action(
      run(async ({ operation, settings }) => {
        const id = await (await operation()).rules?.secrets?.addKey();
        const next = 'Copy the file to every server, then run "dbdepot-server secrets rotate".';
        return { json: { id }, text: `Added the key ${id} to ${settings.secretsKeyFile}. ${next}\n` };
      }),
    );

  secrets
    .command("rotate")
    .description("Encrypt everything with the first key of the file, so that the others can be removed")
    .action(
      run(async ({ operation, settings }) => {
        const change = await operation();
        const count = await rotateSecrets(change);
        const [id, ...others] = (await change.rules?.secrets?.keyIds()) ?? [];
        const left = `The other lines of ${settings.secretsKeyFile} are needed only for older backups.`;
        return {
          json: { id, rotated: count, unused: others },
          text: `Encrypted ${count} access keys with the key ${id}. ${others.length > 0 ? left : ""}`
            .trimEnd()
            .concat("\n"),
        };
      }),
    );
}

const subjectOf = (id: string) => (tables: Tables) => requireDestination(tables, id);

async function bucketsOf({ settings, store, operation }: CommandContext) {
  const { rules } = await operation();
  if (!rules?.secrets) throw invalid("the settings have no secrets");
  return openBuckets(settings, await store(), rules.secrets);
}

interface SettingsOptions {
  prefix?: string | undefined;
  endpoint?: string | undefined;
  access?: (typeof ACCESS_WAYS)[number] | undefined;
  role?: string | undefined;
  keyId?: string | undefined;
  secretKeyFile?: string | undefined;
  encryption?: (typeof ENCRYPTIONS)[number] | "none" | undefined;
  families?: string[] | undefined;
  formats?: string[] | undefined;
  keep?: number | undefined;
  description?: string | undefined;
}

async function settingsOf({
  endpoint,
  role,
  keyId,
  secretKeyFile,
  encryption,
  ...options
}: SettingsOptions): Promise<
  Omit<DestinationRequest, "bucket" | "region" | "access"> & { access?: AccessWay | undefined }
> {
  return {
    ...options,
    endpoint: endpoint === "aws" ? null : endpoint,
    roleArn: role,
    accessKeyId: keyId,
    secretAccessKey: secretKeyFile === undefined ? undefined : await readSecret(secretKeyFile),
    encryption: encryption === "none" ? null : encryption,
    families: isAll(options.families) ? null : options.families,
    formats: isAll(options.formats) ? null : options.formats?.map(requireFormat),
  };
}

async function readSecret(path: string): Promise<string> {
  const secret = (
    await readPrivately(path).catch((error: Error) => {
      throw invalid(error.message);
    })
  ).trim();
  if (secret === "" || secret.length > 256) throw invalid(`${path} does not contain the secret of an access key`);
  return secret;
}

function isAll(names: readonly string[] | undefined): boolean {
  return names?.length === 1 && names[0] === ALL;
}

function requireFormat(name: string): Format {
  if (!isFormat(name)) throw invalid(`"${name}" is not a format`);
  return name;
}

function stateOf({ paused, ownership, progress }: Destination): string {
  if (paused) return paused.reason === "manual" ? "paused" : `paused (${paused.reason})`;
  if (!ownership.verified) return "unverified";
  return progress.failingSince ? `failing since ${formatTime(progress.failingSince)}` : "enabled";
}

function shown(output: Output, destination: Destination): Result {
  const { id, place, access, families, formats, keep, ownership, description } = destination;
  const fields = {
    id,
    bucket: locationOf(place),
    region: place.region,
    ...(place.endpoint !== null && { endpoint: place.endpoint }),
    access: access.way,
    families: families ?? ALL,
    formats: formats ?? ALL,
    keep,
    state: stateOf(destination),
    ...(description !== "" && { description }),
  };
  const proof = [
    "To prove that the bucket is yours, put this object into it, then test the destination:",
    `  key      ${objectKeyIn(place, ownershipPath(destination))}`,
    `  content  ${ownership.token}`,
  ];
  return {
    json: destinationToOperatorWire(destination, []),
    text: output.details(fields) + (ownership.verified ? "" : `\n${proof.join("\n")}\n`),
  };
}
