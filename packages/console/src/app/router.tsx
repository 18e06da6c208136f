import { isSignInProblem, type SignInProblem } from "@dbdepot/contract/console/oidc";
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";
import { parseListState } from "../components/list.tsx";
import { parseAuditFilter } from "../pages/audit/filter.ts";
import { parseCatalogueFilter } from "../pages/catalogue/filter.ts";
import { parseFilter } from "../pages/databases/filter.ts";
import { parseHistoryFilter } from "../pages/history/filter.ts";
import { parseLicenceFilter } from "../pages/licences/filter.ts";
import { parseOrganizationSearch } from "../pages/organizations/search.ts";
import { parseRequestFilter } from "../pages/requests/filter.ts";
import { parseUsageFilter } from "../pages/usage/filter.ts";
import { parseQuestion } from "../pages/why/question.ts";
import { lazyRouteComponent, repair } from "./chunks.tsx";
import { refusalOf, startPageOf } from "./navigation.ts";
import { NotFound, PageError, PagePending } from "./page-states.tsx";
import { queryClient, sessionQuery } from "./session.ts";
import { Shell } from "./shell.tsx";

const root = createRootRouteWithContext()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ to, problem }: Record<string, unknown>): { to?: string; problem?: SignInProblem } => ({
    ...(typeof to === "string" && { to }),
    ...(isSignInProblem(problem) && { problem }),
  }),
  beforeLoad: async () => {
    const { account } = await queryClient.ensureQueryData(sessionQuery);
    if (account) throw redirect({ to: startPageOf(account.role) });
  },
  component: lazyRouteComponent(() => import("../pages/sign-in/sign-in.tsx"), "SignIn"),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  component: lazyRouteComponent(() => import("../pages/sign-in/forgot-password.tsx"), "ForgotPassword"),
});

const accept = createRoute({
  getParentRoute: () => root,
  path: "/accept",
  beforeLoad: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import("../pages/sign-in/accept-link.tsx"), "AcceptLink"),
});

/** For people who need a second factor and have none yet. */
const requiredPasskey = createRoute({
  getParentRoute: () => root,
  path: "/add-passkey",
  beforeLoad: async () => {
    const { account, needs_passkey } = await queryClient.ensureQueryData(sessionQuery);
    if (!account || !needs_passkey) throw redirect({ to: "/" });
  },
  component: lazyRouteComponent(() => import("../pages/sign-in/required-passkey.tsx"), "RequiredPasskey"),
});

/** The pages on which people approve programs have no navigation, so that nothing distracts from the decision. */
const approvals = createRoute({
  getParentRoute: () => root,
  id: "approvals",
  beforeLoad: async ({ location }) => {
    const { account, needs_passkey } = await queryClient.ensureQueryData(sessionQuery);
    if (needs_passkey) throw redirect({ to: "/add-passkey" });
    if (!account) throw redirect({ to: "/sign-in", search: { to: location.href } });
  },
  component: Outlet,
});

const device = createRoute({
  getParentRoute: () => approvals,
  path: "/device",
  validateSearch: ({ user_code }: Record<string, unknown>): { user_code?: string } =>
    typeof user_code === "string" ? { user_code } : {},
  component: lazyRouteComponent(() => import("../pages/programs/device.tsx"), "Device"),
});

const authorize = createRoute({
  getParentRoute: () => approvals,
  path: "/authorize",
  validateSearch: ({ request }: Record<string, unknown>): { request?: string } =>
    typeof request === "string" ? { request } : {},
  component: lazyRouteComponent(() => import("../pages/programs/authorize.tsx"), "Authorize"),
});

/** Everything that needs a session. The shell shows the `refusal` instead of a page that the role may not use. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    const { account, needs_passkey } = await queryClient.ensureQueryData(sessionQuery);
    if (needs_passkey) throw redirect({ to: "/add-passkey" });
    if (!account) throw redirect({ to: "/sign-in", search: location.pathname === "/" ? {} : { to: location.href } });
    return { account, refusal: refusalOf(location.pathname, account) };
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  beforeLoad: ({ context }) => {
    throw redirect({ to: startPageOf(context.account.role), replace: true });
  },
});

const databases = createRoute({
  getParentRoute: () => signedIn,
  path: "/databases",
  validateSearch: parseFilter,
  component: lazyRouteComponent(() => import("../pages/databases/databases.tsx"), "Databases"),
});

const family = createRoute({
  getParentRoute: () => signedIn,
  path: "/databases/$base",
  validateSearch: ({ version, tab }: Record<string, unknown>): { version?: number; tab?: string } => ({
    ...(typeof version === "number" && { version }),
    ...(typeof tab === "string" && { tab }),
  }),
  component: lazyRouteComponent(() => import("../pages/databases/family.tsx"), "Family"),
});

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: "/keys",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../pages/keys/keys.tsx"), "Keys"),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("../pages/webhooks/webhooks.tsx"), "Webhooks"),
});

const deliveriesPage = lazyRouteComponent(() => import("../pages/webhooks/deliveries.tsx"), "Deliveries");
const deliveryPage = lazyRouteComponent(() => import("../pages/webhooks/delivery.tsx"), "DeliveryPage");

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

/** The same pages about a customer's webhook, for operators. */
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

const history = createRoute({
  getParentRoute: () => signedIn,
  path: "/history",
  validateSearch: parseHistoryFilter,
  component: lazyRouteComponent(() => import("../pages/history/history.tsx"), "History"),
});

const usage = createRoute({
  getParentRoute: () => signedIn,
  path: "/usage",
  validateSearch: parseUsageFilter,
  component: lazyRouteComponent(() => import("../pages/usage/usage.tsx"), "Usage"),
});

const catalogue = createRoute({
  getParentRoute: () => signedIn,
  path: "/catalogue",
  validateSearch: parseCatalogueFilter,
  component: lazyRouteComponent(() => import("../pages/catalogue/catalogue.tsx"), "Catalogue"),
});

const catalogueFamily = createRoute({
  getParentRoute: () => signedIn,
  path: "/catalogue/$base",
  validateSearch: ({ version }: Record<string, unknown>): { version?: number } =>
    typeof version === "number" ? { version } : {},
  component: lazyRouteComponent(() => import("../pages/catalogue/family.tsx"), "CatalogueFamily"),
});

const licences = createRoute({
  getParentRoute: () => signedIn,
  path: "/licences",
  validateSearch: parseLicenceFilter,
  component: lazyRouteComponent(() => import("../pages/licences/licences.tsx"), "Licences"),
});

const terms = createRoute({
  getParentRoute: () => signedIn,
  path: "/terms",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../pages/terms/terms.tsx"), "Terms"),
});

const termsVersion = createRoute({
  getParentRoute: () => signedIn,
  path: "/terms/$id",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../pages/terms/terms.tsx"), "TermsPage"),
});

const team = createRoute({
  getParentRoute: () => signedIn,
  path: "/team",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../pages/accounts/accounts.tsx"), "Team"),
});

const organizations = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../pages/organizations/organizations.tsx"), "Organizations"),
});

const importCustomers = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/import",
  component: lazyRouteComponent(() => import("../pages/organizations/import-customers.tsx"), "ImportCustomers"),
});

const organization = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/$id",
  validateSearch: parseOrganizationSearch,
  component: lazyRouteComponent(() => import("../pages/organizations/organization.tsx"), "Organization"),
});

const requests = createRoute({
  getParentRoute: () => signedIn,
  path: "/requests",
  validateSearch: parseRequestFilter,
  component: lazyRouteComponent(() => import("../pages/requests/requests.tsx"), "Requests"),
});

const why = createRoute({
  getParentRoute: () => signedIn,
  path: "/why",
  validateSearch: parseQuestion,
  component: lazyRouteComponent(() => import("../pages/why/why.tsx"), "Why"),
});

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: "/overview",
  component: lazyRouteComponent(() => import("../pages/overview/overview.tsx"), "Overview"),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: "/settings",
  component: lazyRouteComponent(() => import("../pages/settings/settings.tsx"), "Settings"),
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
  component: lazyRouteComponent(() => import("../pages/audit/audit.tsx"), "Audit"),
});

const legacyKeys = createRoute({
  getParentRoute: () => signedIn,
  path: "/legacy-keys",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../pages/legacy-keys/legacy-keys.tsx"), "LegacyKeys"),
});

const accounts = createRoute({
  getParentRoute: () => signedIn,
  path: "/accounts",
  validateSearch: parseListState,
  component: lazyRouteComponent(() => import("../pages/accounts/accounts.tsx"), "Accounts"),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  component: lazyRouteComponent(() => import("../pages/account/account.tsx"), "Account"),
});

/** Within the shell, so that people who are signed in keep their navigation. */
const unknownPage = createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFound });

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    forgotPassword,
    accept,
    approvals.addChildren([device, authorize]),
    requiredPasskey,
    signedIn.addChildren([
      home,
      databases,
      family,
      keys,
      webhooks,
      webhookDeliveries,
      webhookDelivery,
      history,
      usage,
      licences,
      terms,
      termsVersion,
      team,
      catalogue,
      catalogueFamily,
      organizations,
      importCustomers,
      organization,
      organizationDeliveries,
      organizationDelivery,
      overview,
      requests,
      why,
      settings,
      operatorHistory,
      audit,
      legacyKeys,
      accounts,
      account,
      unknownPage,
    ]),
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: PagePending,
  // The current page stays until the next one has loaded, which an outage may prevent. See LoadingBar and chunks.tsx.
  defaultPendingMs: Number.POSITIVE_INFINITY,
});

router.subscribe("onBeforeLoad", () => void repair());

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
