import { ActionIcon, CopyButton as MantineCopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

export function CopyButton({ value, label }: { value: string; label: string }) {
  return (
    <MantineCopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={copied ? "Copied" : label}>
            {copied ? <IconCheck size={16} stroke={1.8} /> : <IconCopy size={16} stroke={1.6} />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  );
}
