import { Alert, Anchor } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useAccount } from "../../app/session.ts";
import { ownTermsQuery } from "./queries.ts";

/** Tells people who cannot accept terms whom to ask. */
export function WhoAccepts() {
  const { data } = useQuery(ownTermsQuery);
  const { organization } = useAccount();
  const admins = data?.admins ?? [];
  return (
    <Alert variant="light" color="gray" icon={<IconInfoCircle />} title="Only admins can accept terms">
      {admins.length > 0 ? "Ask " : `${organization?.name ?? "Your organization"} has no admin: ask your vendor`}
      {admins.map(({ name, email }, index) => (
        <Fragment key={email}>
          {index > 0 && (index === admins.length - 1 ? " or " : ", ")}
          <Anchor inherit underline="always" href={`mailto:${email}`}>
            {name || email}
          </Anchor>
        </Fragment>
      ))}
      .
    </Alert>
  );
}
