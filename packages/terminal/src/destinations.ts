import { BUILDS_KEPT } from "@dbdepot/contract/shared/choices";
import type { BucketDelivery, Destination, DestinationTest } from "@dbdepot/contract/v2/destinations";
import { type Command, Option, type Result } from "./command.ts";
import { formatBytes } from "./format.ts";
import type { Output } from "./output.ts";
import { integer, parseList } from "./values.ts";

/** Stands for everything in the options for families and formats. */
export const ALL = "all";

/** Adds the options that the creation and the update of a destination have in common. */
// biome-ignore lint/suspicious/noExplicitAny: commander's own constraint
export function withDestinationOptions<Args extends any[], Options extends Record<string, any>>(
  command: Command<Args, Options>,
) {
  const access = new Option("--access <way>", "how the service is let in (default: vendor)");
  const encryption = new Option("--encryption <name>", "server-side encryption to ask for");
  return command
    .option("--prefix <prefix>", "folder in the bucket")
    .option("--endpoint <url>", 'address of the storage, or "aws" (default: AWS)')
    .addOption(access.choices(["vendor", "role", "keys"] as const))
    .option("--role <arn>", "role to assume, with --access role")
    .option("--key-id <id>", "id of the access key, with --access keys")
    .option("--secret-key-file <file>", "file with the secret of the access key, which only you can read")
    .addOption(encryption.choices(["AES256", "aws:kms", "none"] as const))
    .option("--families <list>", `comma-separated families, or "${ALL}" (default: all)`, parseList)
    .option("--formats <list>", `comma-separated formats, or "${ALL}" (default: all)`, parseList)
    .option(
      "--keep <n>",
      `builds of each database to keep (default: ${BUILDS_KEPT.default})`,
      integer(BUILDS_KEPT.minimum, BUILDS_KEPT.maximum),
    )
    .option("--description <text>", "what it is for");
}

/** The values of these options. */
export interface DestinationOptions {
  prefix?: string | undefined;
  endpoint?: string | undefined;
  access?: "vendor" | "role" | "keys" | undefined;
  role?: string | undefined;
  keyId?: string | undefined;
  secretKeyFile?: string | undefined;
  encryption?: "AES256" | "aws:kms" | "none" | undefined;
  families?: string[] | undefined;
  formats?: string[] | undefined;
  keep?: number | undefined;
  description?: string | undefined;
}

export function locationOf({ bucket, prefix }: Pick<Destination, "bucket" | "prefix">): string {
  return prefix === "" ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
}

export function stateOf({ enabled, paused_reason: reason, ownership, failing_since: since }: Destination): string {
  if (!enabled) return reason === "manual" ? "paused" : `paused (${reason})`;
  if (ownership.verified === null) return "unverified";
  return since === null ? "enabled" : `failing since ${since}`;
}

/** A destination, with what proves that it is the customer's until that was done. */
export function destinationResult(output: Output, destination: Destination): Result {
  const { id, region, endpoint, access, families, formats, keep, description, error, ownership } = destination;
  const fields = {
    id,
    bucket: locationOf(destination),
    region,
    ...(endpoint !== null && { endpoint }),
    access,
    families: families ?? ALL,
    formats: formats ?? ALL,
    keep,
    state: stateOf(destination),
    ...(error !== null && { error }),
    ...(description !== "" && { description }),
  };
  const proof = [
    "To prove that the bucket is yours, put this object into it, then test the destination:",
    `  key      ${ownership.key}`,
    `  content  ${ownership.content}`,
  ];
  return {
    json: destination,
    text: output.details(fields) + (ownership.verified === null ? `\n${proof.join("\n")}\n` : ""),
  };
}

export function testResult(output: Output, result: DestinationTest): Result {
  const rows = result.steps.map(({ step, ok, error }) => [step, ok ? "ok" : error]);
  return { json: result, text: output.table(["STEP", "RESULT"], rows, ""), exitCode: result.ok ? 0 : 1 };
}

export function deliveriesResult(output: Output, deliveries: readonly BucketDelivery[]): Result {
  const rows = deliveries.map(({ created, database_id: id, outcome, files, bytes, build_id: build, error }) => {
    return [created, id, outcome, files, formatBytes(bytes), build, error];
  });
  const columns = ["TIME", "DATABASE", "OUTCOME", "FILES", "SIZE", "BUILD", "ERROR"];
  return { json: deliveries, text: output.table(columns, rows, "No deliveries in the last 30 days.") };
}
