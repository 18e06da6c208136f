import { Group, Text } from "@mantine/core";

export function Logo() {
  return (
    <Group gap="xs" wrap="nowrap">
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--mantine-color-accent-6)" />
        <g fill="none" stroke="#fff" strokeWidth="2.25">
          <ellipse cx="16" cy="10" rx="7.5" ry="3" />
          <path d="M8.500 10v6c0 1.660 3.360 3 7.500 3s7.500-1.340 7.500-3v-6" />
          <path d="M8.500 16v6c0 1.660 3.360 3 7.500 3s7.500-1.340 7.500-3v-6" />
        </g>
      </svg>
      <Text fw={600} size="lg" style={{ letterSpacing: "-0.02em" }}>
        dbdepot
      </Text>
    </Group>
  );
}
