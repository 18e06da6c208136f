/** How the vendor presents the service. The page of the console carries it as JSON in a `meta` element. */
export interface ShownBrand {
  name: string;
  /** Paths of images, or null. `logo_dark` replaces `logo` on dark backgrounds. */
  logo: string | null;
  logo_dark: string | null;
  /** Ten shades of the accent colour, from light to dark, or null for dbdepot's own. */
  shades: string[] | null;
  support_url: string | null;
  legal_links: { label: string; url: string }[];
  /** Whether pages say "Powered by dbdepot". */
  powered_by: boolean;
}

/** The name of the `meta` element. */
export const BRAND_META = "dbdepot-brand";
