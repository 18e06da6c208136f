import { CATALOGUE_PAGES } from "./catalogue-pages.ts";
import type { ConsolePage } from "./console-page.ts";
import { CUSTOMER_PAGES } from "./customer-pages.ts";
import { OPERATOR_PAGES } from "./operator-pages.ts";

const VISITOR_PAGES: readonly ConsolePage[] = [
  { name: "sign-in", path: "/console/sign-in", as: "visitor", heading: "Sign in" },
  { name: "forgot-password", path: "/console/forgot-password", as: "visitor", heading: "Reset your password" },
  { name: "invalid-link", path: "/console/accept#token=none", as: "visitor", heading: "This link doesn't work" },
];

/** Every page, as the accessibility tests and the screenshots visit them. */
export const PAGES = [...VISITOR_PAGES, ...CUSTOMER_PAGES, ...OPERATOR_PAGES, ...CATALOGUE_PAGES];
