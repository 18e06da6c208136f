import type { DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import { CopiedText, FactTable } from "../../components/fact-table.tsx";

interface DigestsProps {
  /** The name of the file, as the buttons say it. */
  file: string;
  checksums: DatabaseChecksums["checksums"];
}

/** The digests of a file, longest first. */
export function Digests({ file, checksums: { md5, sha1, sha256, sha512 } }: DigestsProps) {
  const digests = Object.entries({ "SHA-512": sha512, "SHA-256": sha256, "SHA-1": sha1, MD5: md5 });
  const facts = digests.map(([name, digest]) => [
    name,
    <CopiedText key={name} text={digest} label={`Copy the ${name} of ${file}`} />,
  ]);
  return <FactTable facts={Object.fromEntries(facts)} />;
}
