import { Button, Divider } from "@mantine/core";
import { useSession } from "../../app/session.ts";

/** Leads to the OpenID Connect provider, if one is configured. `to` is the page to show afterwards. */
export function ProviderButton({ to }: { to?: string | undefined }) {
  const { oidc } = useSession().sign_in;
  if (!oidc) return null;
  const query = to === undefined ? "" : `?${new URLSearchParams({ to })}`;
  return (
    <>
      <Divider label="or" />
      <Button component="a" href={`/api/console/oidc/start${query}`} variant="default" size="md">
        Continue with {oidc.name}
      </Button>
    </>
  );
}
