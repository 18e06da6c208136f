import { createRoute, createRouter, redirect } from "@tanstack/react-router";
import { repair } from "./chunks.tsx";
import { startPageOf } from "./navigation.ts";
import { NotFound, PageError, PagePending } from "./page-states.tsx";
import { customerRoutes } from "./routes/customer.ts";
import { operatorRoutes } from "./routes/operator.ts";
import { root, signedIn } from "./routes/parents.ts";
import { signInRoutes } from "./routes/sign-in.ts";

const home = createRoute({
  getParentRoute: () => signedIn,
  path: "/",
  beforeLoad: ({ context }) => {
    throw redirect({ to: startPageOf(context.account.role), replace: true });
  },
});

/** Within the shell, so that people who are signed in keep their navigation. */
const unknownPage = createRoute({ getParentRoute: () => signedIn, path: "$", component: NotFound });

export const router = createRouter({
  routeTree: root.addChildren([
    ...signInRoutes,
    signedIn.addChildren([home, ...customerRoutes, ...operatorRoutes, unknownPage]),
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
