import { FORMATS } from "@dbdepot/contract/shared/choices";
import type { Format } from "@dbdepot/contract/shared/formats";
import { fileNameOf } from "./formats.ts";

interface Signed {
  /** The address of the service. */
  url: string;
  /** The id of the version. */
  id: string;
  /** Position of the build's manifest in the version's chain. */
  sequence: number;
  publicKey: string;
  files: Partial<Record<Format, unknown>>;
}

/** Shell commands that verify the manifest of a build with minisign, and downloaded files with the manifest. */
export function verifyCommand({ url, id, sequence, publicKey, files }: Signed): string {
  const fetched = (part: string, file: string) => [
    'curl -fsS -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\',
    `  -o ${file} "$manifest&part=${part}"`,
  ];
  const compared = (format: Format) => [
    `echo "$(jq -r .files.${format}.checksums.sha256 manifest.json)  ${fileNameOf(id, format)}" \\`,
    "  | sha256sum --check",
  ];
  return [
    `manifest="${url}/api/v2/database/manifest?id=${id}&sequence=${sequence}"`,
    ...fetched("manifest", "manifest.json"),
    ...fetched("signature", "manifest.json.minisig"),
    `minisign -V -m manifest.json -P ${publicKey}`,
    ...FORMATS.filter((format) => files[format]).flatMap(compared),
  ].join("\n");
}
