import { open } from "node:fs/promises";
import { PatchError } from "./patch-error.ts";

export type PatchKind = "csvgz" | "mmdb";
/** An mmdb that the codec of its kind cannot read is patched as bytes. */
export type CodecName = PatchKind | "binary";

interface PatchHeader {
  codec: CodecName;
  formatVersion: number;
  /** Hexadecimal, like all digests here. */
  baseSha256: string;
  resultSha256: string;
}

const MAGIC = Buffer.from("dbdpatch");
const CODEC_NUMBERS: Record<CodecName, number> = { csvgz: 1, mmdb: 2, binary: 3 };
/** Incremented when a body changes. Clients refuse other versions, and download the whole file. */
export const FORMAT_VERSIONS: Record<CodecName, number> = { csvgz: 2, mmdb: 2, binary: 1 };

const SHA256_BYTES = 32;
const DIGESTS_AT = MAGIC.length + 2;
/** The header is the magic, one byte each for codec and format version, and two digests. The compressed body follows. */
export const HEADER_BYTES = DIGESTS_AT + 2 * SHA256_BYTES;

export function encodeHeader({ codec, formatVersion, baseSha256, resultSha256 }: PatchHeader): Buffer {
  return Buffer.concat([
    MAGIC,
    Buffer.from([CODEC_NUMBERS[codec], formatVersion]),
    Buffer.from(baseSha256, "hex"),
    Buffer.from(resultSha256, "hex"),
  ]);
}

export async function readHeader(patchPath: string): Promise<PatchHeader> {
  const file = await open(patchPath, "r");
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(bytes, 0, HEADER_BYTES, 0);
    return decodeHeader(bytes.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function decodeHeader(bytes: Buffer): PatchHeader {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new PatchError("invalid", "the file is not a patch");
  }
  const [number, formatVersion = 0] = bytes.subarray(MAGIC.length, DIGESTS_AT);
  const codec = (["csvgz", "mmdb", "binary"] as const).find((each) => CODEC_NUMBERS[each] === number);
  if (codec === undefined || formatVersion !== FORMAT_VERSIONS[codec]) {
    throw new PatchError("unsupported", "the patch has a format that this version does not know");
  }
  const digest = (at: number) => bytes.toString("hex", at, at + SHA256_BYTES);
  return {
    codec,
    formatVersion,
    baseSha256: digest(DIGESTS_AT),
    resultSha256: digest(DIGESTS_AT + SHA256_BYTES),
  };
}
