import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Attempt } from "../history/attempt-columns.tsx";

/** Links to the explanation of a refused attempt. There is no link for v1, whose rules Why does not know. */
export function WhyLink({ attempt }: { attempt: Attempt }) {
  const { api: version, organization_id: org, dataset_id, outcome, format, apikey_id, sample, created } = attempt;
  if (outcome === "ok" || version === "v1" || dataset_id === "" || !org) return null;
  const search = {
    org,
    id: dataset_id,
    ...((format === "csvgz" || format === "mmdb") && { format }),
    ...(sample && { sample }),
    ...(apikey_id && { key: apikey_id }),
  } as const;
  return (
    <Anchor
      size="sm"
      aria-label={`Why was ${dataset_id} refused at ${new Date(created).toLocaleTimeString()}?`}
      renderRoot={(props) => <Link to="/why" search={search} {...props} />}
    >
      Why?
    </Anchor>
  );
}
