import { Anchor, Group, Text } from "@mantine/core";
import { brand } from "../app/brand.ts";

/** The vendor's support and legal links, at the end of every page. */
export function VendorLinks({ justify }: { justify?: "center" }) {
  const { support_url: support, legal_links: legal, powered_by: isPoweredBy } = brand;
  const links = [...(support ? [{ label: "Support", url: support }] : []), ...legal];
  if (links.length === 0 && !isPoweredBy) return null;
  return (
    <Group component="footer" gap="md" {...(justify && { justify })}>
      {links.map(({ label, url }) => (
        <Anchor key={label} size="xs" c="dimmed" href={url}>
          {label}
        </Anchor>
      ))}
      {isPoweredBy && (
        <Text size="xs" c="dimmed">
          Powered by dbdepot
        </Text>
      )}
    </Group>
  );
}
