import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Alert, Anchor, Stack } from "@mantine/core";
import { IconSignature } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../app/session.ts";
import { ownTermsQuery } from "./api.ts";

/** Says that terms keep the organization from downloading some databases, and leads to them. */
export function TermsBanner({ databases }: { databases: readonly Database[] }) {
  const { role } = useAccount();
  const waiting = Map.groupBy(
    databases.filter(({ terms_to_accept: terms }) => terms),
    ({ terms_to_accept: terms }) => terms ?? "",
  );
  const { data } = useQuery({ ...ownTermsQuery, enabled: waiting.size > 0 });
  if (waiting.size === 0) return null;
  return (
    <Alert variant="light" color="yellow" icon={<IconSignature />} title="Terms have to be accepted">
      <Stack gap={4}>
        {[...waiting].map(([id, blocked]) => (
          <div key={id}>
            {blocked.map(({ name }) => name).join(", ")} can be downloaded once{" "}
            {role === "admin" ? "you accept" : "an admin of your organization accepts"}{" "}
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => <Link to="/terms/$id" params={{ id }} {...props} />}
            >
              {data?.terms.find((terms) => terms.id === id)?.title ?? id}
            </Anchor>
            .
          </div>
        ))}
      </Stack>
    </Alert>
  );
}
