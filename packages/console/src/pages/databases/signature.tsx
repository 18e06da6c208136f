import type { Format } from "@dbdepot/contract/shared/formats";
import type { BuildSignature } from "@dbdepot/contract/v2/manifests";
import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CodeBlock } from "../../components/code-block.tsx";
import { CopiedText, FactTable } from "../../components/fact-table.tsx";
import { Time } from "../../components/time.tsx";
import { databasesApi } from "./api.ts";
import { verifyCommand } from "./verify-command.ts";

interface SignatureProps {
  /** The id of the version. */
  id: string;
  signature: BuildSignature | null;
  files: Partial<Record<Format, unknown>>;
}

/** Shows who signed a build, and how to verify it. */
export function Signature({ id, signature, files }: SignatureProps) {
  const { data } = useQuery({
    queryKey: ["signing-keys"],
    queryFn: databasesApi.signingKeys,
    enabled: signature !== null,
  });
  const { data: freshness } = useQuery({
    queryKey: ["freshness", id],
    queryFn: () => databasesApi.freshness(id),
    enabled: signature !== null,
  });
  // A statement is about the newest manifest only.
  const isConfirmed = freshness?.sequence === signature?.sequence;
  const publicKey = data?.keys.find(({ key_id }) => key_id === signature?.key_id)?.public_key;
  return (
    <Stack gap="xs">
      <Title order={2}>Signature</Title>
      {signature ? (
        <>
          <FactTable
            facts={{
              "Key id": <CopiedText text={signature.key_id} label="Copy the key id" />,
              Sequence: signature.sequence,
              ...(freshness && isConfirmed && { "Current as of": <Time value={freshness.issued} show="full" /> }),
            }}
          />
          {publicKey && (
            <>
              <Text c="dimmed">Verify the manifest with minisign, and the files with the manifest:</Text>
              <CodeBlock
                code={verifyCommand({
                  url: window.location.origin,
                  id,
                  sequence: signature.sequence,
                  publicKey,
                  files,
                })}
                label="Copy the verify command"
              />
            </>
          )}
        </>
      ) : (
        <Text c="dimmed">This build is not signed.</Text>
      )}
    </Stack>
  );
}
