import { AppShell, Burger, Group, NavLink, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconExternalLink } from "@tabler/icons-react";
import { getRouteApi, Link, Outlet, useLocation, useRouterState } from "@tanstack/react-router";
import { Fragment, useEffect } from "react";
import { Logo } from "../components/logo.tsx";
import { VendorLinks } from "../components/vendor-links.tsx";
import { AccountButton } from "./account-button.tsx";
import { CopyBanner } from "./copy-banner.tsx";
import { JumpButton } from "./jump-button.tsx";
import { navigationGroups } from "./navigation.ts";
import { NotAllowed } from "./page-states.tsx";
import { PendingRequests } from "./pending-requests.tsx";
import { useSession } from "./session.ts";
import classes from "./shell.module.css";
import { ViewBanner } from "./view-banner.tsx";

const route = getRouteApi("/signed-in");

/** The sidebar and the page. In windows under 1000 pixels the sidebar is a drawer. */
export function Shell() {
  const { account, demo } = useSession();
  const { refusal } = route.useRouteContext();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  // During an outage, the page that is shown is not the one that was opened last.
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname ?? pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the drawer whenever the page changes
  useEffect(close, [pathname]);
  // Read by public/start.js, which shows the empty sidebar while the page loads.
  useEffect(() => localStorage.setItem("dbdepot-shell", "true"), []);
  if (!account) return null;
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 56, md: 0 } }}
      navbar={{ width: 248, breakpoint: "md", collapsed: { mobile: !isOpen } }}
    >
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <AppShell.Header hiddenFrom="md" px="md">
        <Group h="100%" justify="space-between">
          <Logo />
          <Burger opened={isOpen} onClick={toggle} size="sm" aria-label="Open the navigation" />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} p="sm" data-open={isOpen || undefined}>
        <Group justify="space-between" px="xs" py="xs" mb="xs">
          <Logo />
          <Burger opened={isOpen} onClick={toggle} size="sm" hiddenFrom="md" aria-label="Close the navigation" />
        </Group>
        <JumpButton />
        <Text size="xs" c="dimmed" px="xs" mb={4} truncate title={account.organization?.name}>
          {account.organization?.name ?? "Operator"}
          {demo && " · Demo"}
        </Text>
        {[...navigationGroups(account.role)].map(([group, pages]) => (
          <Fragment key={group}>
            {group && (
              <Text size="xs" c="dimmed" px="xs" mt="sm" mb={4} aria-hidden>
                {group}
              </Text>
            )}
            <ul className={classes.links} aria-label={group}>
              {pages.map(({ to, label, icon: Icon }) => {
                const isActive = shown === to || shown.startsWith(`${to}/`);
                return (
                  <li key={to}>
                    <NavLink
                      className={classes.link ?? ""}
                      active={isActive}
                      variant="subtle"
                      label={label}
                      leftSection={<Icon size={18} stroke={1.6} />}
                      rightSection={to === "/requests" && <PendingRequests />}
                      renderRoot={(props) => <Link to={to} {...props} {...(isActive && { "aria-current": "page" })} />}
                    />
                  </li>
                );
              })}
            </ul>
          </Fragment>
        ))}
        <Stack gap={2} mt="auto" pt="sm">
          <NavLink
            className={classes.link ?? ""}
            href="/docs"
            target="_blank"
            label="API reference"
            leftSection={<IconExternalLink size={18} stroke={1.6} />}
          />
          <AccountButton account={account} />
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>
          <CopyBanner />
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
