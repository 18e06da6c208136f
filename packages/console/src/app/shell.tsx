import { AppShell, Burger, Group, NavLink, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconExternalLink } from "@tabler/icons-react";
import { getRouteApi, Link, Outlet, useLocation, useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { Logo } from "../components/logo.tsx";
import { VendorLinks } from "../components/vendor-links.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { JumpButton } from "./jump-button.tsx";
import { navigationFor } from "./navigation.ts";
import { NotAllowed } from "./page-states.tsx";
import { useSession } from "./session.ts";
import classes from "./shell.module.css";
import { ViewBanner } from "./view-banner.tsx";

const route = getRouteApi("/signed-in");

/** The sidebar and the page. On phones the sidebar is a drawer. */
export function Shell() {
  const { account, demo } = useSession();
  const { refusal } = route.useRouteContext();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  // During an outage, the page that is shown is not the one that was opened last.
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the drawer whenever the page changes
  useEffect(close, [pathname]);
  const router = useRouter();
  // The session has ended: the routes are checked again, which leads to the sign-in page.
  useEffect(() => {
    if (!account) void router.invalidate();
  }, [account, router]);
  if (!account) return null;
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 248, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
    >
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="sm" px="md">
        <Group h="100%" justify="space-between">
          <Logo />
          <Burger opened={isOpen} onClick={toggle} size="sm" aria-label="Open the navigation" />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} p="sm">
        <Group justify="space-between" px="xs" py="xs" mb="xs">
          <Logo />
          <Burger opened={isOpen} onClick={toggle} size="sm" hiddenFrom="sm" aria-label="Close the navigation" />
        </Group>
        <JumpButton />
        <Text size="xs" c="dimmed" px="xs" mb={4} truncate>
          {account.organization?.name ?? "Operator"}
          {demo && " · Demo"}
        </Text>
        <Stack component="ul" className={classes.links} gap={2}>
          {navigationFor(account.role).map(({ to, label, icon: Icon }) => {
            const isActive = shown === to || shown.startsWith(`${to}/`);
            return (
              <li key={to}>
                <NavLink
                  className={classes.link ?? ""}
                  active={isActive}
                  variant="subtle"
                  label={label}
                  leftSection={<Icon size={18} stroke={1.6} />}
                  renderRoot={(props) => <Link to={to} {...props} {...(isActive && { "aria-current": "page" })} />}
                />
              </li>
            );
          })}
        </Stack>
        <Stack gap={2} mt="auto">
          <NavLink
            className={classes.link ?? ""}
            href="/docs"
            target="_blank"
            label="API reference"
            leftSection={<IconExternalLink size={18} stroke={1.6} />}
          />
          <AccountMenu account={account} />
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>
          <ViewBanner />
          {refusal ? <NotAllowed reason={refusal} /> : <Outlet />}
          <div className={classes.footer}>
            <VendorLinks />
          </div>
        </div>
      </AppShell.Main>
    </AppShell>
  );
}
