import { isSignInProblem, type SignInProblem } from "@dbdepot/contract/console/oidc";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { parseAuditFilter } from "../pages/audit/filter.ts";
import { parseCatalogueFilter } from "../pages/catalogue/filter.ts";
import { parseFilter } from "../pages/databases/filter.ts";
import { parseHistoryFilter } from "../pages/history/filter.ts";
import { parseOrganizationFilter } from "../pages/organizations/filter.ts";
import { parseQuestion } from "../pages/why/question.ts";
import { startPageOf } from "./navigation.ts";
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

/** Everything that needs a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    const { account, needs_passkey } = await queryClient.ensureQueryData(sessionQuery);
    if (needs_passkey) throw redirect({ to: "/add-passkey" });
    if (!account) throw redirect({ to: "/sign-in", search: location.pathname === "/" ? {} : { to: location.href } });
    return { account };
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
  component: lazyRouteComponent(() => import("../pages/keys/keys.tsx"), "Keys"),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("../pages/webhooks/webhooks.tsx"), "Webhooks"),
});

const history = createRoute({
  getParentRoute: () => signedIn,
  path: "/history",
  validateSearch: parseHistoryFilter,
  component: lazyRouteComponent(() => import("../pages/history/history.tsx"), "History"),
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
  component: lazyRouteComponent(() => import("../pages/licences/licences.tsx"), "Licences"),
});

const team = createRoute({
  getParentRoute: () => signedIn,
  path: "/team",
  component: lazyRouteComponent(() => import("../pages/accounts/accounts.tsx"), "Team"),
});

const organizations = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations",
  validateSearch: parseOrganizationFilter,
  component: lazyRouteComponent(() => import("../pages/organizations/organizations.tsx"), "Organizations"),
});

const organization = createRoute({
  getParentRoute: () => signedIn,
  path: "/organizations/$id",
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } => (typeof tab === "string" ? { tab } : {}),
  component: lazyRouteComponent(() => import("../pages/organizations/organization.tsx"), "Organization"),
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
  component: lazyRouteComponent(() => import("../pages/legacy-keys/legacy-keys.tsx"), "LegacyKeys"),
});

const accounts = createRoute({
  getParentRoute: () => signedIn,
  path: "/accounts",
  component: lazyRouteComponent(() => import("../pages/accounts/accounts.tsx"), "Accounts"),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  component: lazyRouteComponent(() => import("../pages/account/account.tsx"), "Account"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    forgotPassword,
    accept,
    requiredPasskey,
    signedIn.addChildren([
      home,
      databases,
      family,
      keys,
      webhooks,
      history,
      licences,
      team,
      catalogue,
      catalogueFamily,
      organizations,
      organization,
      overview,
      why,
      settings,
      operatorHistory,
      audit,
      legacyKeys,
      accounts,
      account,
    ]),
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: PagePending,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
