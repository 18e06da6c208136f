import { createRoute } from "@tanstack/react-router";
import { parseListState } from "../../components/list-state.ts";
import { parseFilter } from "../../pages/databases/filter.ts";
import { parseHistoryFilter } from "../../pages/history/filter.ts";
import { parseLicenceFilter } from "../../pages/licences/filter.ts";
import { parseUsageFilter } from "../../pages/usage/filter.ts";
import { lazyRouteComponent } from "../chunks.tsx";
import { signedIn } from "./parents.ts";

const databases = createRoute({
  getParentRoute: () => signedIn,
  path: "/databases",
  validateSearch: parseFilter,
  component: lazyRouteComponent(() => import("../../pages/databases/databases.tsx"), "Databases"),
});

const family = createRoute({
  getParentRoute: () => signedIn,
  path: "/databases/$base",
  validateSearch: ({ version, tab }: Record<string, unknown>): { version?: number; tab?: string } => ({
    ...(typeof version === "number" && { version }),
    ...(typeof tab === "string" && { tab }),
  }),
  component: lazyRouteComponent(() => import("../../pages/databases/family.tsx"), "Family"),
});

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: "/keys",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../../pages/keys/keys.tsx"), "Keys"),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("../../pages/webhooks/webhooks.tsx"), "Webhooks"),
});

export const deliveriesPage = lazyRouteComponent(() => import("../../pages/webhooks/deliveries.tsx"), "Deliveries");
export const deliveryPage = lazyRouteComponent(() => import("../../pages/webhooks/delivery.tsx"), "DeliveryPage");

const webhookDeliveries = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks/$webhook",
  component: deliveriesPage,
});

const webhookDelivery = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks/$webhook/$delivery",
  component: deliveryPage,
});

const destinations = createRoute({
  getParentRoute: () => signedIn,
  path: "/destinations",
  component: lazyRouteComponent(() => import("../../pages/destinations/destinations.tsx"), "Destinations"),
});

export const destinationPage = lazyRouteComponent(
  () => import("../../pages/destinations/destination.tsx"),
  "DestinationPage",
);

const destination = createRoute({
  getParentRoute: () => signedIn,
  path: "/destinations/$destination",
  component: destinationPage,
});

const history = createRoute({
  getParentRoute: () => signedIn,
  path: "/history",
  validateSearch: parseHistoryFilter,
  component: lazyRouteComponent(() => import("../../pages/history/history.tsx"), "History"),
});

const usage = createRoute({
  getParentRoute: () => signedIn,
  path: "/usage",
  validateSearch: parseUsageFilter,
  component: lazyRouteComponent(() => import("../../pages/usage/usage.tsx"), "Usage"),
});

const licences = createRoute({
  getParentRoute: () => signedIn,
  path: "/licences",
  validateSearch: parseLicenceFilter,
  component: lazyRouteComponent(() => import("../../pages/licences/licences.tsx"), "Licences"),
});

const terms = createRoute({
  getParentRoute: () => signedIn,
  path: "/terms",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../../pages/terms/terms.tsx"), "Terms"),
});

const termsVersion = createRoute({
  getParentRoute: () => signedIn,
  path: "/terms/$id",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../../pages/terms/version.tsx"), "TermsVersion"),
});

const team = createRoute({
  getParentRoute: () => signedIn,
  path: "/team",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../../pages/accounts/accounts.tsx"), "Team"),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  component: lazyRouteComponent(() => import("../../pages/account/account.tsx"), "Account"),
});

/** The pages of customers. Operators share some of them. */
export const customerRoutes = [
  databases,
  family,
  keys,
  webhooks,
  webhookDeliveries,
  webhookDelivery,
  destinations,
  destination,
  history,
  usage,
  licences,
  terms,
  termsVersion,
  team,
  account,
] as const;
