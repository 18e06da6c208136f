import type { ApiKey, CreatedKey } from "@dbdepot/contract/iam/keys";
import { Radio, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../components/form-dialog.tsx";
import type { Keyring } from "./keyring.ts";
import { keysQuery } from "./keyring.ts";

const HOUR = 3600;
const OVERLAPS = [
  { seconds: HOUR, label: "One hour" },
  { seconds: 24 * HOUR, label: "One day" },
  { seconds: 7 * 24 * HOUR, label: "Seven days" },
  { seconds: 0, label: "Not at all", description: "For a key that has leaked" },
];

interface RotateDialogProps {
  keyring: Keyring;
  apiKey: ApiKey;
  onClose: () => void;
  onRotated: (created: CreatedKey) => void;
}

export function RotateDialog({ keyring, apiKey, onClose, onRotated }: RotateDialogProps) {
  const queryClient = useQueryClient();
  const [overlap, setOverlap] = useState(String(24 * HOUR));
  const rotate = useMutation({
    mutationFn: () => keyring.rotate(apiKey.id, { overlap_seconds: Number(overlap) }),
    onSuccess: async (created) => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      onRotated(created);
    },
  });
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      submitLabel="Rotate key"
      mutation={rotate}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <Text>The key gets a new secret. Its name, scopes and restrictions stay the same.</Text>
      <Radio.Group label="How long does the old secret keep working?" value={overlap} onChange={setOverlap}>
        <Stack gap="xs" mt="xs">
          {OVERLAPS.map(({ seconds, label, description }) => (
            <Radio key={seconds} value={String(seconds)} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
