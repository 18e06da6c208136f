import { Button, Divider } from "@mantine/core";
import { useSession } from "../../app/session.ts";

interface ProviderButtonProps {
  /** The page to show afterwards. */
  to?: string | undefined;
  /** Keeps the page, which notices that the person has signed in when it is visible again. */
  isNewTab?: boolean;
}

/** Leads to the OpenID Connect provider, if one is configured. */
export function ProviderButton({ to, isNewTab }: ProviderButtonProps) {
  const { oidc } = useSession().sign_in;
  if (!oidc) return null;
  const query = to === undefined ? "" : `?${new URLSearchParams({ to })}`;
  return (
    <>
      <Divider label="or" />
      <Button
        component="a"
        href={`/api/console/oidc/start${query}`}
        variant="default"
        size="md"
        {...(isNewTab && { target: "_blank" })}
      >
        Continue with {oidc.name}
      </Button>
    </>
  );
}
