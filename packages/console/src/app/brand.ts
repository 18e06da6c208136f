import { BRAND_META, type ShownBrand } from "@dbdepot/contract/console/brand";

const OWN_BRAND: ShownBrand = {
  name: "dbdepot",
  logo: null,
  logo_dark: null,
  shades: null,
  support_url: null,
  legal_links: [],
  powered_by: false,
};

/** How the vendor presents the service. The server writes it into the page; Vite's own server does not. */
export const brand: ShownBrand = read() ?? OWN_BRAND;

function read(): ShownBrand | undefined {
  const content = document.querySelector(`meta[name="${BRAND_META}"]`)?.getAttribute("content");
  return content ? JSON.parse(content) : undefined;
}
