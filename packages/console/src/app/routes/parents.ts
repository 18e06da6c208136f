import type { SessionAccount } from "@dbdepot/contract/console/sessions";
import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { lazyRouteComponent } from "../chunks.tsx";
import { refusalOf } from "../navigation.ts";
import { Root } from "../root.tsx";
import { queryClient, sessionQuery } from "../session.ts";

export const root = createRootRouteWithContext()({ component: Root });

/** The pages on which people approve programs have no navigation, so that nothing distracts from the decision. */
export const approvals = createRoute({
  getParentRoute: () => root,
  id: "approvals",
  beforeLoad: async ({ location }) => void (await requireAccount(location)),
  component: Outlet,
});

/** Everything that needs a session. The shell shows the `refusal` instead of a page that the role may not use. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: async ({ location }) => {
    const account = await requireAccount(location);
    return { account, refusal: refusalOf(location.pathname, account) };
  },
  component: lazyRouteComponent(() => import("../shell.tsx"), "Shell"),
});

/** The account of a person who is signed in. Others are asked to sign in, and return to the location afterwards. */
async function requireAccount({ pathname, href }: { pathname: string; href: string }): Promise<SessionAccount> {
  const { account, needs_passkey } = await queryClient.ensureQueryData(sessionQuery);
  if (needs_passkey) throw redirect({ to: "/add-passkey" });
  if (!account) throw redirect({ to: "/sign-in", search: pathname === "/" ? {} : { to: href } });
  return account;
}
