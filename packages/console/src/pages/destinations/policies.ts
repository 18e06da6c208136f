import type { DestinationSetup } from "@dbdepot/contract/v2/destinations";

type Identity = Pick<DestinationSetup, "principal" | "external_id">;

interface Place {
  bucket: string;
  prefix: string;
}

const OBJECT_ACTIONS = ["PutObject", "PutObjectAcl", "GetObject", "DeleteObject", "AbortMultipartUpload"];

/** The policy of a bucket that lets the vendor's own identity in. */
export function bucketPolicy(place: Place, { principal }: Identity): object {
  return policy(
    statementsFor(place).map(({ Effect, ...rest }) => ({ Effect, Principal: { AWS: principal }, ...rest })),
  );
}

/** What a role or the owner of an access key needs. */
export function permissions(place: Place): object {
  return policy(statementsFor(place));
}

/** The policy of a role that says who may assume it. */
export function trustPolicy({ principal, external_id: externalId }: Identity): object {
  return policy([
    {
      Effect: "Allow",
      Principal: { AWS: principal },
      Action: "sts:AssumeRole",
      Condition: { StringEquals: { "sts:ExternalId": externalId } },
    },
  ]);
}

function statementsFor({ bucket, prefix }: Place) {
  const name = `arn:aws:s3:::${bucket}`;
  const objects = prefix === "" ? `${name}/*` : `${name}/${prefix}/*`;
  return [
    { Effect: "Allow", Action: OBJECT_ACTIONS.map((action) => `s3:${action}`), Resource: objects },
    { Effect: "Allow", Action: "s3:ListBucket", Resource: name },
  ];
}

function policy(statements: readonly object[]): object {
  return { Version: "2012-10-17", Statement: statements };
}
