import { readFile } from "node:fs/promises";
import { type Command, examples, UsageError } from "@dbdepot/terminal/command";
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
import { integer } from "@dbdepot/terminal/values";
import type { Destinations } from "../api/destinations.ts";
import type {
  BucketDelivery,
  CreateDestinationRequest,
  DestinationList,
  UpdateDestinationRequest,
} from "../api/wire.gen.ts";
import type { Run } from "./context.ts";

const DELIVERIES_SHOWN = 20;
const LIMIT_MAX = 100_000;
const DESTINATION_ARGUMENT = "destination id, or the beginning of one";

export function addDestinationCommands(program: Command, run: Run): void {
  const destinations = program
    .command("destinations")
    .description("Have builds delivered to your buckets (needs a key with the scope apikeys.manage)");

  destinations
    .command("setup")
    .description("Show what the policy of a bucket or role needs")
    .action(
      run(async ({ output, client }) => {
        const { setup } = await client().destinations.list();
        return { json: setup, text: output.details(setupFields(setup)) };
      }),
    );

  destinations
    .command("list")
    .description("List your organization's buckets")
    .action(
      run(async ({ output, client }) => {
        const { destinations: found } = await client().destinations.list();
        return {
          json: found,
          text: output.table(
            ["BUCKET", "STATE", "ACCESS", "DATABASES", "LAST DELIVERED", "ID"],
            found.map((destination) => [
              locationOf(destination),
              stateOf(destination),
              destination.access,
              destination.databases.filter(({ build_id: build }) => build !== null).length,
              destination.last_delivered ?? "never",
              destination.id,
            ]),
            "No destinations.",
          ),
        };
      }),
    );

  withDestinationOptions(
    destinations
      .command("create")
      .description("Add a bucket and show the object that proves that it is yours")
      .argument("<bucket>", "name of the bucket")
      .requiredOption("--region <region>", "region of the bucket"),
  )
    .addHelpText("after", examples("dbdepot destinations create acme-data --prefix dbdepot --region eu-west-1"))
    .action(
      run(async ({ output, client }, bucket, { region, ...options }) => {
        const { access = "vendor", ...settings } = await settingsOf(options);
        const request: CreateDestinationRequest = { bucket, region, access, ...settings };
        return destinationResult(output, await client().destinations.create(request));
      }),
    );

  withDestinationOptions(
    destinations
      .command("update")
      .description("Change a destination, or pause or continue its deliveries")
      .argument("<destination>", DESTINATION_ARGUMENT)
      .option("--bucket <bucket>", "name of another bucket")
      .option("--region <region>", "region of the bucket")
      .option("--resume", "deliver again, beginning with what is missing")
      .option("--pause", "deliver nothing more"),
  ).action(
    run(async ({ output, client }, destination, { bucket, region, resume, pause, ...options }) => {
      if (resume && pause) throw new UsageError("use either --resume or --pause");
      const changes: UpdateDestinationRequest = await settingsOf(options);
      if (bucket !== undefined) changes.bucket = bucket;
      if (region !== undefined) changes.region = region;
      if (resume || pause) changes.enabled = resume === true;
      if (Object.keys(changes).length === 0) throw new UsageError("name at least one option to change");
      const { destinations } = client();
      return destinationResult(
        output,
        await destinations.update(await findDestination(destinations, destination), changes),
      );
    }),
  );

  destinations
    .command("delete")
    .description("Delete a destination and the log of its deliveries; the files stay in the bucket")
    .argument("<destination>", DESTINATION_ARGUMENT)
    .action(
      run(async ({ client }, destination) => {
        const { destinations } = client();
        const id = await findDestination(destinations, destination);
        await destinations.delete(id);
        return { json: { id }, text: `Deleted the destination ${id}. Its files are still in the bucket.\n` };
      }),
    );

  destinations
    .command("test")
    .description("Check the proof of ownership, write, read and delete an object, and say which step fails")
    .argument("<destination>", DESTINATION_ARGUMENT)
    .action(
      run(async ({ output, client }, destination) => {
        const { destinations } = client();
        return testResult(output, await destinations.test(await findDestination(destinations, destination)));
      }),
    );

  destinations
    .command("deliveries")
    .description("List the deliveries to a bucket, newest first")
    .argument("<destination>", DESTINATION_ARGUMENT)
    .option("--limit <n>", "maximum number of deliveries", integer(1, LIMIT_MAX), DELIVERIES_SHOWN)
    .action(
      run(async ({ output, client }, destination, { limit }) => {
        const { destinations } = client();
        const found: BucketDelivery[] = [];
        for await (const delivery of destinations.deliveries(await findDestination(destinations, destination))) {
          found.push(delivery);
          if (found.length === limit) break;
        }
        return deliveriesResult(output, found);
      }),
    );
}

/** The service checks the values, because it may know some that this command does not. */
async function settingsOf(
  o: DestinationOptions,
): Promise<Omit<UpdateDestinationRequest, "bucket" | "region" | "enabled">> {
  const { prefix, endpoint, access, role, keyId, secretKeyFile, encryption, families, formats, keep, description } = o;
  return {
    ...(prefix !== undefined && { prefix }),
    ...(endpoint !== undefined && { endpoint: endpoint === "aws" ? null : endpoint }),
    ...(access !== undefined && { access }),
    ...(role !== undefined && { role_arn: role }),
    ...(keyId !== undefined && { access_key_id: keyId }),
    ...(secretKeyFile !== undefined && { secret_access_key: (await readFile(secretKeyFile, "utf8")).trim() }),
    ...(encryption !== undefined && { encryption: encryption === "none" ? null : encryption }),
    ...(families !== undefined && { families: allOr(families) }),
    ...(formats !== undefined && { formats: allOr(formats) as CreateDestinationRequest["formats"] & object }),
    ...(keep !== undefined && { keep }),
    ...(description !== undefined && { description }),
  };
}

function allOr(names: string[]): string[] | null {
  return names.length === 1 && names[0] === ALL ? null : names;
}

/** Returns the id of the destination whose id begins with `text`. */
async function findDestination(destinations: Destinations, text: string): Promise<string> {
  const found = (await destinations.list()).destinations.filter(({ id }) => id.startsWith(text));
  const [first, ...others] = found;
  if (!first) {
    throw new Error(`no destination has an id that begins with "${text}": "dbdepot destinations list" shows all`);
  }
  if (others.length > 0) throw new Error(`"${text}" matches ${found.length} destinations; use more characters`);
  return first.id;
}

function setupFields({ allowed, ways, principal, external_id: externalId, endpoint }: DestinationList["setup"]) {
  return {
    allowed: allowed ? "yes" : "no",
    ways: ways.length === 0 ? "none" : ways,
    ...(principal !== null && { principal }),
    ...(externalId !== null && { "external id": externalId }),
    ...(endpoint !== null && { endpoint }),
  };
}
