import { Group, Text, useComputedColorScheme } from "@mantine/core";
import { brand } from "../app/brand.ts";
import classes from "./logo.module.css";

/** The vendor's logo, or a mark with the name of the service. */
export function Logo() {
  const scheme = useComputedColorScheme();
  if (brand.logo) {
    const image = (scheme === "dark" && brand.logo_dark) || brand.logo;
    return <img className={classes.image} src={image} alt={brand.name} />;
  }
  return (
    <Group gap="xs" wrap="nowrap" className={classes.name ?? ""}>
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" style={{ flexShrink: 0 }}>
        <rect width="32" height="32" rx="8" fill="var(--mantine-color-accent-6)" />
        <g fill="none" stroke="#fff" strokeWidth="2.25">
          <ellipse cx="16" cy="10" rx="7.5" ry="3" />
          <path d="M8.500 10v6c0 1.660 3.360 3 7.500 3s7.500-1.340 7.500-3v-6" />
          <path d="M8.500 16v6c0 1.660 3.360 3 7.500 3s7.500-1.340 7.500-3v-6" />
        </g>
      </svg>
      <Text fw={600} size="lg" truncate title={brand.name} style={{ letterSpacing: "-0.02em" }}>
        {brand.name}
      </Text>
    </Group>
  );
}
