import Type, { type Static } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { KeyId, PublicKey, Signature, SignedStatement, sha256, time } from "./manifests.ts";

/** The text that a freshness key signs: which manifest was the newest when it was issued. */
export const FreshnessStatement = Type.Object(
  {
    format: Type.Literal(1),
    type: Type.Literal("freshness"),
    id: DatabaseId,
    sequence: Type.Integer({ minimum: 1, description: "Position of the newest manifest in the version's chain." }),
    manifest_sha256: Type.String({ ...sha256, description: "SHA-256 of that manifest's text." }),
    issued: time("When the service said so."),
    valid_until: time("When the statement ends. The service issues a new one long before."),
  },
  { title: "FreshnessStatement", description: "A signed statement that a manifest is the newest one." },
);
export type FreshnessStatement = Static<typeof FreshnessStatement>;

/** The text in which a signing key allows a freshness key to sign statements of freshness, and nothing else. */
export const FreshnessEndorsement = Type.Object(
  {
    format: Type.Literal(1),
    role: Type.Literal("freshness"),
    freshness_key: PublicKey,
    endorsed_by: KeyId("The signing key that made the endorsement."),
    created: time("When this was signed."),
    expires: time("From then on, statements that the freshness key has signed are no longer accepted."),
    revoked: Type.Array(KeyId("A freshness key that must never be accepted again."), {
      description: "Ids of freshness keys that were stolen.",
    }),
  },
  { title: "FreshnessEndorsement", description: "A signed statement of a signing key about a freshness key." },
);
export type FreshnessEndorsement = Static<typeof FreshnessEndorsement>;

export const SignedFreshness = Type.Object(
  {
    id: DatabaseId,
    sequence: Type.Integer({ minimum: 1 }),
    issued: time("When the service said so."),
    valid_until: time("When the statement ends."),
    key_id: KeyId("The freshness key that signed it."),
    statement: Type.String({
      description: "The text that is signed: a JSON document, byte for byte.",
      examples: ['{\n  "format": 1,\n  "type": "freshness",\n  "id": "vpn_ip_v1",\n  "sequence": 3,\n  …\n}\n'],
    }),
    signature: Signature,
    endorsement: Type.Object(SignedStatement.properties, {
      additionalProperties: false,
      description: "The statement with which a signing key endorsed the freshness key.",
    }),
  },
  {
    title: "SignedFreshness",
    additionalProperties: false,
    description: "A statement of freshness with its signature, and the endorsement of the key that signed it.",
  },
);
export type SignedFreshness = Static<typeof SignedFreshness>;
