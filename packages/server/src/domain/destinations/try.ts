import { randomBytes } from "node:crypto";
import { TEST_STEPS } from "@dbdepot/contract/v2/destinations";
import { isQuiet, QUIET } from "../backup/quiet.ts";
import type { Operation } from "../store.ts";
import { type Bucket, BucketError, type OpenBucket } from "./bucket.ts";
import { type Destination, objectKeyIn, ownershipPath } from "./destination.ts";
import { type DestinationSubject, deliverSoon, save } from "./destinations.ts";

const TOKEN_MAX_BYTES = 1024;

export interface TestStep {
  step: (typeof TEST_STEPS)[number];
  error: BucketError | undefined;
}

/**
 * Tries what a delivery does, and says which step fails. If the object that only the owner of the bucket can have put there is
 * found, the destination is verified, and what waits is delivered at once.
 */
export async function testDestination(
  operation: Operation,
  openBucket: OpenBucket,
  subject: DestinationSubject,
): Promise<TestStep[]> {
  const { store, now } = operation;
  const destination = await subject(store);
  const steps: TestStep[] = [];
  if (await isQuiet(store)) return [{ step: "ownership", error: new BucketError("connection", QUIET) }];
  let bucket: Bucket | undefined;
  try {
    for (const step of TEST_STEPS) {
      try {
        bucket ??= await openBucket(destination);
        await tryStep(step, bucket, destination);
        steps.push({ step, error: undefined });
      } catch (error) {
        if (!(error instanceof BucketError)) throw error;
        steps.push({ step, error });
        break;
      }
    }
  } finally {
    bucket?.close();
  }
  const isOwner = steps[0]?.error === undefined;
  const works = steps.every(({ error }) => error === undefined);
  if (isOwner) {
    await store.change(async (tables) => {
      const before = await subject(tables);
      // It was moved during the test.
      if (before.ownership.token !== destination.ownership.token) return;
      const after = { ...before, ownership: { ...before.ownership, verified: now } };
      if (before.ownership.verified === null) await save(tables, operation, before, after, "destination.verified");
      if (works) await deliverSoon(tables, operation, after);
    });
  }
  return steps;
}

async function tryStep(step: TestStep["step"], bucket: Bucket, destination: Destination): Promise<void> {
  const path = `dbdepot-test-${destination.id}.txt`;
  switch (step) {
    case "ownership":
      return requireOwnership(bucket, destination);
    case "write":
      return bucket.write(
        path,
        `A test by dbdepot, which deletes this object. ${randomBytes(8).toString("hex")}\n`,
        "text/plain",
      );
    case "read":
      if ((await bucket.read(path, TOKEN_MAX_BYTES)) === undefined) {
        throw new BucketError("integrity", "the object that was just written cannot be found");
      }
      return undefined;
    case "delete":
      return bucket.remove(path);
  }
}

async function requireOwnership(bucket: Bucket, destination: Destination): Promise<void> {
  const { ownership, place } = destination;
  const found = await bucket.read(ownershipPath(destination), TOKEN_MAX_BYTES);
  if (found?.toString().trim() === ownership.token) return;
  const what = found ? "has other content than" : "does not exist or is too large; put it there with";
  throw new BucketError(
    "ownership",
    `the object ${objectKeyIn(place, ownershipPath(destination))} ${what} the one that proves that the bucket is yours`,
  );
}
