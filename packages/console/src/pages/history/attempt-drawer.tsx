import { Alert, Anchor, Button, Drawer, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAccount } from "../../app/session.ts";
import { CopiedText, FactList } from "../../components/fact-table.tsx";
import { formatBytes } from "../../components/format.ts";
import { Loaded } from "../../components/loaded.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Time } from "../../components/time.tsx";
import { databasesQuery } from "../databases/api.ts";
import { RequestAccess } from "../licences/request-access.tsx";
import { WhyLink } from "../why/why-link.tsx";
import { type Attempt, keyOf } from "./attempt-columns.tsx";
import type { AttemptSource } from "./attempt-source.ts";
import { explain } from "./outcomes.ts";

interface AttemptDrawerProps {
  id: string;
  /** The attempt, if the list has loaded it. */
  listed: Attempt | undefined;
  source: AttemptSource;
  /** The name of its organization, for operators. */
  organizationOf: ((attempt: Attempt) => ReactNode) | undefined;
  onClose: () => void;
}

/** Everything known about one attempt, and what to do if it was refused. */
export function AttemptDrawer({ id, listed, source, organizationOf, onClose }: AttemptDrawerProps) {
  const nothing = { from: undefined, to: undefined };
  const attempt = useQuery({
    queryKey: ["history", "one", id],
    queryFn: async () => (await source.load(source.url({ request: id }, nothing))).items[0] ?? null,
    ...(listed && { initialData: listed, staleTime: Number.POSITIVE_INFINITY }),
  });
  return (
    <Drawer opened onClose={onClose} size="md" title="Download attempt">
      <Loaded query={attempt}>
        {(found) =>
          found ? (
            <Details attempt={found} organizationOf={organizationOf} />
          ) : (
            <Alert color="gray" variant="light" title="There is no such attempt">
              It may have been deleted, because the history is kept for a limited time.
            </Alert>
          )
        }
      </Loaded>
    </Drawer>
  );
}

interface DetailsProps extends Pick<AttemptDrawerProps, "organizationOf"> {
  attempt: Attempt;
}

function Details({ attempt, organizationOf }: DetailsProps) {
  const { label, tone, meaning, advice } = explain(attempt);
  const isOperator = organizationOf !== undefined;
  return (
    <Stack gap="lg">
      <Stack gap="xs" align="flex-start">
        <Title order={2}>{attempt.dataset_id || "No id"}</Title>
        <StatusBadge tone={tone}>{label}</StatusBadge>
        <WhyLink attempt={attempt} />
      </Stack>
      {/* The advice is addressed to customers. */}
      {!isOperator && (
        <Stack gap="xs" align="flex-start">
          <Text>{meaning}</Text>
          <Text c="dimmed">{advice}</Text>
          <Remedy attempt={attempt} />
        </Stack>
      )}
      <FactList
        facts={{
          Time: <Time value={attempt.created} show="full" />,
          "Request id": <CopiedText text={attempt.id} label="Copy the request id" />,
          ...(organizationOf && operatorFacts(attempt, organizationOf(attempt))),
          Database: <DatabaseLink attempt={attempt} isOperator={isOperator} />,
          Format: attempt.format || "None given",
          "HTTP status": attempt.http_status,
          [attempt.patch ? "Size of the patch" : "Size of the file"]:
            attempt.bytes === null ? "No file was sent" : formatBytes(attempt.bytes),
          Key: <KeyLink attempt={attempt} isOperator={isOperator} />,
          Address: attempt.client_ip,
          Client: attempt.user_agent ?? "Not given",
        }}
      />
    </Stack>
  );
}

function operatorFacts({ api, cause, build_id }: Attempt, organization: ReactNode): Record<string, ReactNode> {
  return {
    Organization: organization,
    Cause: cause ? <code>{cause}</code> : undefined,
    Build: build_id ? <code>{build_id}</code> : undefined,
    API: api,
  };
}

const KEY_CAUSES = ["revoked", "expired", "rotated_out", "outside_cidrs", "lacks_scope"];

/** The button that solves the problem, if the console can. */
function Remedy({ attempt }: { attempt: Attempt }) {
  const { role } = useAccount();
  const { outcome, cause, key_name } = attempt;
  if (cause === "terms_not_accepted") {
    return (
      <Button size="xs" renderRoot={(props) => <Link to="/terms" {...props} />}>
        {role === "admin" ? "Read and accept the terms" : "Read the terms"}
      </Button>
    );
  }
  if (outcome === "denied" || outcome === "expired") return <AccessRemedy attempt={attempt} />;
  if (outcome === "unauthorized" && role === "admin" && key_name && KEY_CAUSES.includes(cause ?? "")) {
    return (
      <Button size="xs" renderRoot={(props) => <Link to="/keys" search={{ q: key_name, all: true }} {...props} />}>
        {cause === "revoked" ? "Open the key" : cause === "rotated_out" ? "Rotate the key" : "Change the key"}
      </Button>
    );
  }
  return null;
}

function AccessRemedy({ attempt: { dataset_id, outcome } }: { attempt: Attempt }) {
  const base = familyOf(dataset_id);
  const { data } = useQuery(databasesQuery);
  const database = data?.databases.find((each) => each.base === base);
  // It may have been licensed since.
  if (!database || database.standing === "licensed") return null;
  return <RequestAccess base={base} name={database.name} isRenewal={outcome === "expired"} />;
}

interface FactProps {
  attempt: Attempt;
  isOperator: boolean;
}

function DatabaseLink({ attempt: { dataset_id, outcome }, isOperator }: FactProps) {
  if (outcome === "unknown" || dataset_id === "") return dataset_id || "None given";
  const params = { base: familyOf(dataset_id) };
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => (
        <Link to={isOperator ? "/catalogue/$base" : "/databases/$base"} params={params} {...props} />
      )}
    >
      {dataset_id}
    </Anchor>
  );
}

function KeyLink({ attempt, isOperator }: FactProps) {
  const { role } = useAccount();
  const { key_name, organization_id: organization } = attempt;
  const search = { q: key_name ?? "", all: true };
  if (!key_name || (isOperator ? !organization : role !== "admin")) return keyOf(attempt);
  return (
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) =>
        organization ? (
          <Link to="/organizations/$id" params={{ id: organization }} search={{ tab: "keys", ...search }} {...props} />
        ) : (
          <Link to="/keys" search={search} {...props} />
        )
      }
    >
      {key_name}
    </Anchor>
  );
}

/** `vpn_ip_v1` is a version of `vpn_ip`. */
function familyOf(id: string): string {
  return id.replace(/_v\d+$/, "");
}
