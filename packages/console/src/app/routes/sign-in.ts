import { isSignInProblem, type SignInProblem } from "@dbdepot/contract/shared/choices";
import { createRoute, redirect } from "@tanstack/react-router";
import { lazyRouteComponent } from "../chunks.tsx";
import { startPageOf } from "../navigation.ts";
import { queryClient, sessionQuery } from "../session.ts";
import { approvals, root } from "./parents.ts";

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
  component: lazyRouteComponent(() => import("../../pages/sign-in/sign-in.tsx"), "SignIn"),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  beforeLoad: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import("../../pages/sign-in/forgot-password.tsx"), "ForgotPassword"),
});

const accept = createRoute({
  getParentRoute: () => root,
  path: "/accept",
  beforeLoad: () => queryClient.ensureQueryData(sessionQuery),
  component: lazyRouteComponent(() => import("../../pages/sign-in/accept-link.tsx"), "AcceptLink"),
});

/** The page for people who need a second factor and have none yet. */
const requiredPasskey = createRoute({
  getParentRoute: () => root,
  path: "/add-passkey",
  beforeLoad: async () => {
    const { account, needs_passkey } = await queryClient.ensureQueryData(sessionQuery);
    if (!account || !needs_passkey) throw redirect({ to: "/" });
  },
  component: lazyRouteComponent(() => import("../../pages/sign-in/required-passkey.tsx"), "RequiredPasskey"),
});

const device = createRoute({
  getParentRoute: () => approvals,
  path: "/device",
  validateSearch: ({ user_code }: Record<string, unknown>): { user_code?: string } =>
    typeof user_code === "string" ? { user_code } : {},
  component: lazyRouteComponent(() => import("../../pages/programs/device.tsx"), "Device"),
});

const authorize = createRoute({
  getParentRoute: () => approvals,
  path: "/authorize",
  validateSearch: ({ request }: Record<string, unknown>): { request?: string } =>
    typeof request === "string" ? { request } : {},
  component: lazyRouteComponent(() => import("../../pages/programs/authorize.tsx"), "Authorize"),
});

export const signInRoutes = [
  signIn,
  forgotPassword,
  accept,
  requiredPasskey,
  approvals.addChildren([device, authorize]),
] as const;
