import { ActionIcon, CopyButton as MantineCopyButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

export function CopyButton({ value, label }: { value: string; label: string }) {
  return (
    <MantineCopyButton value={value}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={copy}
          title={copied ? "Copied" : label}
          aria-label={copied ? "Copied" : label}
        >
          {copied ? <IconCheck size={16} stroke={1.8} /> : <IconCopy size={16} stroke={1.6} />}
        </ActionIcon>
      )}
    </MantineCopyButton>
  );
}
