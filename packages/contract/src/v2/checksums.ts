import Type, { type Static } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { Format } from "../shared/formats.ts";

function hexDigest(length: number) {
  return Type.String({ pattern: `^[0-9a-f]{${length}}$`, examples: ["9f1c0e2d".repeat(length / 8)] });
}

export const Checksums = Type.Object(
  { md5: hexDigest(32), sha1: hexDigest(40), sha256: hexDigest(64), sha512: hexDigest(128) },
  { title: "Checksums", additionalProperties: false, description: "Hex digests of one file." },
);
export type Checksums = Static<typeof Checksums>;

export const PatchOffer = Type.Object(
  {
    from: hexDigest(64),
    sha256: hexDigest(64),
    size_bytes: Type.Integer({ format: "int64", description: "Size of the patch." }),
    result_size_bytes: Type.Integer({ format: "int64", description: "Size of the file that the patch produces." }),
  },
  {
    title: "PatchOffer",
    additionalProperties: false,
    description: "A patch that turns the file with the digest `from` into the file with the checksums.",
  },
);
export type PatchOffer = Static<typeof PatchOffer>;

export const DatabaseChecksums = Type.Object(
  {
    id: DatabaseId,
    format: Format,
    checksums: Checksums,
    patch: Type.Optional(PatchOffer),
    patch_pending: Type.Optional(
      Type.Boolean({
        description:
          "True if a patch from the file with the digest `from` is being made. Ask again after some seconds; absent otherwise.",
      }),
    ),
  },
  { title: "DatabaseChecksums", additionalProperties: false, description: "The digests of one file of a build." },
);
export type DatabaseChecksums = Static<typeof DatabaseChecksums>;
