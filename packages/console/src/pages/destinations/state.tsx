import type { BucketDelivery, BucketProblem, Destination } from "@dbdepot/contract/v2/destinations";
import { DetailedStatus } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";

export function DestinationState({ destination }: { destination: Destination }) {
  const { paused_reason: reason, ownership, failing_since: since } = destination;
  if (reason === "manual") return <DetailedStatus tone="neutral" label="Paused" detail="by hand" />;
  if (reason) return <DetailedStatus tone="bad" label="Paused" detail="no success for 24 hours" />;
  if (!ownership.verified)
    return <DetailedStatus tone="warning" label="Not verified" detail="nothing is delivered yet" />;
  if (!since) return <DetailedStatus tone="good" label="Enabled" />;
  const detail = (
    <>
      since <Time value={since} />
    </>
  );
  return <DetailedStatus tone="warning" label="Failing" detail={detail} />;
}

const OUTCOMES = {
  delivered: { tone: "good", label: "Delivered" },
  failed: { tone: "warning", label: "Failed" },
  refused: { tone: "bad", label: "Refused" },
  withdrawn: { tone: "neutral", label: "Withdrawn" },
} as const;

export function DeliveryOutcome({ delivery }: { delivery: BucketDelivery }) {
  return <DetailedStatus {...OUTCOMES[delivery.outcome]} detail={problemText(delivery)} />;
}

const PROBLEMS: Record<BucketProblem, string> = {
  address: "Address",
  connection: "Connection",
  clock: "Clock",
  credentials: "Access key",
  role: "Role",
  bucket: "Name of the bucket",
  region: "Region",
  permission: "Permission",
  encryption: "Encryption",
  space: "Space",
  ownership: "Proof of ownership",
  integrity: "Integrity",
  response: "Response of the storage",
};

/** What is wrong, in a word and a sentence. */
export function problemText({ problem, error }: { problem: BucketProblem | null; error: string | null }): string {
  return problem ? `${PROBLEMS[problem]}: ${error}` : (error ?? "");
}

/** The place as people write it. */
export function locationOf({ bucket, prefix }: Pick<Destination, "bucket" | "prefix">): string {
  return prefix === "" ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
}
