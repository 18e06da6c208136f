import { DESTINATION_SORTS } from "@dbdepot/contract/operator/destinations";
import { type Format, isFormat } from "@dbdepot/contract/shared/formats";
import type { AccessWay } from "@dbdepot/contract/v2/destinations";
import { type Command, examples, type Result } from "@dbdepot/terminal/command";
import {
  ALL,
  type DestinationOptions,
  deliveriesResult,
  destinationResult,
  locationOf,
  stateOf,
  testResult,
  withDestinationOptions,
} from "@dbdepot/terminal/destinations";
import type { Output } from "@dbdepot/terminal/output";
import {
  organizationIdOf,
  requireActiveOrganization,
  requireOrganization,
} from "../domain/access/find-organization.ts";
import type { Destination } from "../domain/destinations/destination.ts";
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
        const shown = found.map((destination) => destinationToOperatorWire(destination, databases));
        return {
          json: shown,
          text: output.table(
            ["BUCKET", "ORGANIZATION", "STATE", "ACCESS", "LAST DELIVERED", "ID"],
            shown.map((destination) => [
              locationOf(destination),
              names.get(destination.organization_id),
              stateOf(destination),
              destination.access,
              destination.last_delivered ?? "never",
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

  withDestinationOptions(
    destinations
      .command("create")
      .description("Add a bucket and show the object that proves that it is the organization's")
      .requiredOption("--org <org>", "organization, by id or exact name")
      .requiredOption("--bucket <bucket>", "name of the bucket")
      .requiredOption("--region <region>", "region of the bucket"),
  )
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

  withDestinationOptions(
    destinations
      .command("update")
      .description("Change a destination, or pause or continue its deliveries")
      .argument("<destination>", "destination id")
      .option("--bucket <bucket>", "name of another bucket")
      .option("--region <region>", "region of the bucket")
      .option("--resume", "deliver again, beginning with what is missing")
      .option("--pause", "deliver nothing more"),
  ).action(
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
        const steps = await testDestination(operation, await bucketsOf(context), subjectOf(id));
        return testResult(context.output, testToWire(steps));
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
        return deliveriesResult(output, found.map(bucketDeliveryToWire));
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

async function settingsOf({
  endpoint,
  role,
  keyId,
  secretKeyFile,
  encryption,
  ...options
}: DestinationOptions): Promise<
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

function shown(output: Output, destination: Destination): Result {
  return destinationResult(output, destinationToOperatorWire(destination, []));
}
