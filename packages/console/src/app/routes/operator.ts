import { createRoute, redirect } from "@tanstack/react-router";
import { parseListState } from "../../components/list-state.ts";
import { parseAuditFilter } from "../../pages/audit/filter.ts";
import { parseCatalogueFilter } from "../../pages/catalogue/filter.ts";
import { parseOrganizationSearch } from "../../pages/organizations/search.ts";
import { parseRequestFilter } from "../../pages/requests/filter.ts";
import { parseQuestion } from "../../pages/why/question.ts";
import { lazyRouteComponent } from "../chunks.tsx";
import { deliveriesPage, deliveryPage, destinationPage } from "./customer.ts";
import { signedIn } from "./parents.ts";

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: "/overview",
  component: lazyRouteComponent(() => import("../../pages/overview/overview.tsx"), "Overview"),
});

const catalogue = createRoute({
  getParentRoute: () => signedIn,
  path: "/catalogue",
  validateSearch: parseCatalogueFilter,
  component: lazyRouteComponent(() => import("../../pages/catalogue/catalogue.tsx"), "Catalogue"),
});

const catalogueFamily = createRoute({
  getParentRoute: () => signedIn,
  path: "/catalogue/$base",
  validateSearch: ({ version }: Record<string, unknown>): { version?: number } =>
    typeof version === "number" ? { version } : {},
  component: lazyRouteComponent(() => import("../../pages/catalogue/family.tsx"), "CatalogueFamily"),
});

const organizations = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../../pages/organizations/organizations.tsx"), "Organizations"),
});

const importCustomers = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/import",
  component: lazyRouteComponent(() => import("../../pages/organizations/import-customers.tsx"), "ImportCustomers"),
});

const organization = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/$id",
  validateSearch: parseOrganizationSearch,
  component: lazyRouteComponent(() => import("../../pages/organizations/organization.tsx"), "Organization"),
});

/** The same pages about a customer's webhook or bucket, for operators. */
const organizationDeliveries = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/$id/webhooks/$webhook",
  component: deliveriesPage,
});

const organizationDelivery = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/$id/webhooks/$webhook/$delivery",
  component: deliveryPage,
});

const organizationDestination = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/$id/destinations/$destination",
  component: destinationPage,
});

const requests = createRoute({
  getParentRoute: () => signedIn,
  path: "/requests",
  validateSearch: parseRequestFilter,
  component: lazyRouteComponent(() => import("../../pages/requests/requests.tsx"), "Requests"),
});

const why = createRoute({
  getParentRoute: () => signedIn,
  path: "/why",
  validateSearch: parseQuestion,
  component: lazyRouteComponent(() => import("../../pages/why/why.tsx"), "Why"),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings",
  component: lazyRouteComponent(() => import("../../pages/settings/settings.tsx"), "Settings"),
});

/** Operators used to have their own page. Links to it still work. */
const operatorHistory = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator-history",
  beforeLoad: () => {
    throw redirect({ to: "/history", search: true, replace: true });
  },
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: "/audit",
  validateSearch: parseAuditFilter,
  component: lazyRouteComponent(() => import("../../pages/audit/audit.tsx"), "Audit"),
});

const legacyKeys = createRoute({
  getParentRoute: () => signedIn,
  path: "/legacy-keys",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../../pages/legacy-keys/legacy-keys.tsx"), "LegacyKeys"),
});

const accounts = createRoute({
  getParentRoute: () => signedIn,
  path: "/accounts",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../../pages/accounts/accounts.tsx"), "Accounts"),
});

/** The pages that only operators have. */
export const operatorRoutes = [
  overview,
  catalogue,
  catalogueFamily,
  organizations,
  importCustomers,
  organization,
  organizationDeliveries,
  organizationDelivery,
  organizationDestination,
  requests,
  why,
  settings,
  operatorHistory,
  audit,
  legacyKeys,
  accounts,
] as const;
