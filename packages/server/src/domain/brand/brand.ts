import type { ShownBrand } from "@dbdepot/contract/console/brand";
import type { Logo } from "./logo.ts";

/** How the vendor presents the service: in the console, e-mails, the API reference, the feed and the MCP server. */
export interface Brand {
  name: string;
  logo: Logo | undefined;
  /** The logo on dark backgrounds (default: the same). */
  logoDark: Logo | undefined;
  /** Ten shades of the accent colour, from light to dark. Undefined: dbdepot's own colour. */
  shades: readonly string[] | undefined;
  supportUrl: string | undefined;
  legalLinks: readonly { label: string; url: string }[];
  /** Whether pages say "Powered by dbdepot". */
  isPoweredByShown: boolean;
}

export const LOGO_PATHS = { light: "/brand/logo", dark: "/brand/logo-dark" } as const;

/** Used where no settings apply, such as the API reference in tests. */
export const OWN_BRAND: Brand = {
  name: "dbdepot",
  logo: undefined,
  logoDark: undefined,
  shades: undefined,
  supportUrl: undefined,
  legalLinks: [],
  isPoweredByShown: false,
};

/** The brand as the console's page carries it. */
export function brandToWire(brand: Brand): ShownBrand {
  const { name, logo, logoDark, shades, supportUrl, legalLinks, isPoweredByShown } = brand;
  return {
    name,
    logo: logo ? LOGO_PATHS.light : null,
    logo_dark: logoDark ? LOGO_PATHS.dark : null,
    shades: shades ? [...shades] : null,
    support_url: supportUrl ?? null,
    legal_links: [...legalLinks],
    powered_by: isPoweredByShown,
  };
}
