import Type, { type Static } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { byFileKind } from "../shared/formats.ts";
import { Checksums } from "./checksums.ts";

export const time = (description: string) =>
  Type.String({ format: "date-time", description, examples: ["2026-11-17T06:00:00.000Z"] });
export const KeyId = (description: string) =>
  Type.String({ pattern: "^[0-9A-F]{16}$", description, examples: ["E64CABF3122C81FE"] });
export const sha256 = { pattern: "^[0-9a-f]{64}$", examples: ["9f1c0e2d".repeat(8)] };
export const PublicKey = Type.String({
  description: "The public key as `minisign -P` expects it.",
  examples: ["RWT+gSwS86tM5upKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"],
});
export const Signature = Type.String({
  description: "A detached signature, the content of a `.minisig` file.",
  examples: [
    "untrusted comment: signature from dbdepot key E64CABF3122C81FE\nRUT+gSwS…\ntrusted comment: dbdepot manifest vpn_ip_v1 3\nGmbjIM+o…\n",
  ],
});

export const SignedStatement = Type.Object(
  {
    statement: Type.String({ description: "The signed text: a JSON document, byte for byte." }),
    signature: Signature,
  },
  { additionalProperties: false },
);

const ParquetDigest = Type.Object(
  { size_bytes: Type.Integer({ minimum: 0 }), sha256: Type.String(sha256) },
  { additionalProperties: false },
);

/** The service's signed statement about a version at one time. Each one contains the digest of the previous one. */
export const Manifest = Type.Object(
  {
    format: Type.Literal(1),
    id: DatabaseId,
    sequence: Type.Integer({ minimum: 1, description: "Position in the version's chain of manifests." }),
    created: time("When this was signed."),
    build_id: Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
      description: "The current build, or null if the last build was withdrawn.",
    }),
    published: Type.Union([time("When the build was published."), Type.Null()]),
    metadata: Type.Union(
      [
        Type.Object(
          { size_bytes: Type.Integer({ minimum: 0 }), sha256: Type.String(sha256) },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: "The build's metadata document." },
    ),
    files: byFileKind(
      Type.Object({ size_bytes: Type.Integer({ minimum: 0 }), checksums: Checksums }, { additionalProperties: false }),
      "The build's files: one in each format, and samples.",
    ),
    tables: Type.Optional(
      Type.Object(
        {
          version: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
            description: "The version of the table whose rows these are, or null if a newer one follows.",
          }),
          rows: Type.Array(ParquetDigest, { description: "The files with all rows, in order." }),
          changes: Type.Array(ParquetDigest, { description: "The files with the changes since the previous version." }),
        },
        {
          additionalProperties: false,
          description:
            "The build's Parquet files. They are written after a build was published, so the first manifest about it lacks them and a later one has them.",
        },
      ),
    ),
    previous: Type.Union([Type.String(sha256), Type.Null()], {
      description: "SHA-256 of the previous manifest's text, or null in the first.",
    }),
  },
  { title: "Manifest", description: "A signed statement about the current build of a version." },
);
export type Manifest = Static<typeof Manifest>;

export const SignedManifest = Type.Object(
  {
    id: DatabaseId,
    sequence: Type.Integer({ minimum: 1 }),
    build_id: Type.Union([Type.String({ format: "uuid" }), Type.Null()]),
    key_id: KeyId("The key that signed it."),
    manifest: Type.String({
      description: "The text that is signed: a JSON document, byte for byte.",
      examples: ['{\n  "format": 1,\n  "id": "vpn_ip_v1",\n  "sequence": 3,\n  …\n}\n'],
    }),
    signature: Signature,
  },
  { title: "SignedManifest", additionalProperties: false, description: "A manifest with its signature." },
);
export type SignedManifest = Static<typeof SignedManifest>;

/** Names the manifest of a build, without its text. */
export const BuildSignature = Type.Object(
  {
    sequence: Type.Integer({ minimum: 1, description: "Position in the version's chain of manifests." }),
    key_id: KeyId("The key that signed it."),
  },
  { title: "BuildSignature", additionalProperties: false, description: "The signed manifest about a build." },
);
export type BuildSignature = Static<typeof BuildSignature>;

export const BuildSignatureOrNull = Type.Union([BuildSignature, Type.Null()], {
  description: "The newest signed manifest about the build, or null if it has none.",
});

/** The text in which a signing key names its successor. It is signed by the old key. */
export const Endorsement = Type.Object(
  {
    format: Type.Literal(1),
    endorsed_key: PublicKey,
    endorsed_by: KeyId("The key that is replaced."),
    created: time("When this was signed."),
    old_key_expires: time("From then on, manifests that the old key has signed are no longer accepted as current."),
  },
  { title: "Endorsement", description: "A signed statement of a signing key about its successor." },
);
export type Endorsement = Static<typeof Endorsement>;

export const SigningKey = Type.Object(
  {
    key_id: KeyId("The key's id."),
    public_key: PublicKey,
    created: time("When the key was created."),
    expires: Type.Union([time("When its overlap with its successor ends."), Type.Null()], {
      description: "When its overlap with its successor ends, or null if it is in use.",
    }),
    endorsement: Type.Union([SignedStatement, Type.Null()], {
      description: "The statement with which its predecessor endorsed it, or null.",
    }),
  },
  { title: "SigningKey", additionalProperties: false, description: "A public key that signs manifests." },
);

export const FreshnessKey = Type.Object(
  {
    key_id: KeyId("The key's id."),
    public_key: PublicKey,
    created: time("When the key was created."),
    expires: time("When its endorsement ends."),
    endorsement: SignedStatement,
  },
  {
    title: "FreshnessKey",
    additionalProperties: false,
    description: "A public key that signs statements of freshness, and nothing else.",
  },
);

export const SigningKeys = Type.Object(
  {
    format: Type.Literal(1),
    keys: Type.Array(SigningKey, { description: "Oldest first. Replaced keys stay in the list." }),
    freshness_keys: Type.Optional(
      Type.Array(FreshnessKey, {
        description: "The keys that sign statements of freshness, oldest first. Never accept a manifest from them.",
      }),
    ),
  },
  { title: "SigningKeys", additionalProperties: false, description: "The keys that sign this service's manifests." },
);
export type SigningKeys = Static<typeof SigningKeys>;
