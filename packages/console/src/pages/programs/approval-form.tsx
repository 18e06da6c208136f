import type { Role } from "@dbdepot/contract/console/accounts";
import type {
  ApproveProgramRequest,
  ProgramDecided,
  ProgramQuestion,
  ProgramRequest,
} from "@dbdepot/contract/console/programs";
import { ACCESS_DAYS } from "@dbdepot/contract/shared/choices";
import { Alert, Button, Group, List, Select, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../app/api.ts";
import { useAccount } from "../../app/session.ts";
import { FactTable } from "../../components/fact-table.tsx";
import { FormError } from "../../components/form-error.tsx";
import { Time } from "../../components/time.tsx";
import { OrganizationSelect } from "../organizations/organization-select.tsx";
import classes from "./programs.module.css";
import { SCOPES_IN_WORDS } from "./scopes.ts";

export interface Decision {
  isApproved: boolean;
  /** The browser is on its way to the program. */
  isReturning: boolean;
}

interface ApprovalFormProps {
  request: ProgramRequest;
  question: ProgramQuestion;
  onDecided: (decision: Decision) => void;
}

const DAYS = ACCESS_DAYS.map((days) => ({
  value: String(days),
  label: days === 365 ? "1 year" : days === 1 ? "1 day" : `${days} days`,
}));

/** The place where people with each role end the access of a program. */
const END_EARLIER: Partial<Record<Role, string>> = {
  admin: "You can end it earlier on the page API keys.",
  viewer: "An admin can end it earlier, and so can the program.",
  operator: "You can end it earlier on the page of the organization.",
};

export function ApprovalForm({ request, question, onDecided }: ApprovalFormProps) {
  const account = useAccount();
  const [days, setDays] = useState("90");
  const [organization, setOrganization] = useState<string | null>(null);
  const decide = useMutation({
    mutationFn: (isApproved: boolean) =>
      isApproved ? approve({ ...question, days: Number(days), ...(organization && { organization }) }) : deny(question),
    onSuccess: ({ redirect }, isApproved) => {
      onDecided({ isApproved, isReturning: redirect !== null });
      if (redirect !== null) window.location.assign(redirect);
    },
  });
  const isOperator = account.organization === null;
  const canApprove = request.scopes.length > 0;
  return (
    <Stack gap="md">
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
        Only continue if you started this yourself. If someone sent you this link or code, deny it: they would get
        access in your name.
      </Alert>
      {request.user_code && (
        <Stack gap={4} align="center">
          <Text size="sm" c="dimmed" ta="center">
            Compare with the code that the program shows
          </Text>
          <code className={classes.code}>{request.user_code}</code>
        </Stack>
      )}
      <FactTable facts={factsOf(request, account.organization?.name)} />
      <ScopeList request={request} />
      {canApprove && isOperator && (
        <OrganizationSelect
          label="Organization"
          description="The program acts for it, with a key of its own."
          placeholder="Choose an organization"
          value={organization}
          onChange={setOrganization}
        />
      )}
      {canApprove && (
        <Select
          label="How long"
          description={`The access ends this long after the program last renewed it. ${END_EARLIER[account.role] ?? ""}`}
          data={DAYS}
          value={days}
          onChange={(value) => value && setDays(value)}
          allowDeselect={false}
        />
      )}
      <FormError error={decide.error} />
      <Stack gap="xs">
        <Group grow>
          {canApprove && (
            <Button
              size="md"
              loading={decide.isPending && decide.variables}
              disabled={decide.isPending || (isOperator && !organization)}
              onClick={() => decide.mutate(true)}
            >
              Approve
            </Button>
          )}
          <Button
            size="md"
            variant="default"
            loading={decide.isPending && !decide.variables}
            disabled={decide.isPending}
            onClick={() => decide.mutate(false)}
          >
            Deny
          </Button>
        </Group>
        <Text size="xs" c="dimmed" ta="center" style={{ overflowWrap: "anywhere" }}>
          You are signed in as {account.email}.
        </Text>
      </Stack>
    </Stack>
  );
}

function factsOf(request: ProgramRequest, organization: string | undefined) {
  const { host, address, is_same_network: isSameNetwork, redirect, created } = request;
  return {
    ...(host && { Machine: `${host} (reported by the program)` }),
    "Asks from": (
      <>
        {address}
        <Text component="span" display="block" size="xs" c={isSameNetwork ? "dimmed" : "orange.9"}>
          {redirect
            ? "This browser"
            : isSameNetwork
              ? "The same network as this browser"
              : "Not the same network as this browser"}
        </Text>
      </>
    ),
    ...(redirect ? { "Returns to": new URL(redirect).host || redirect } : { Asked: <Time value={created} /> }),
    ...(organization && { "Acts for": organization }),
  };
}

function ScopeList({ request }: { request: ProgramRequest }) {
  const { scopes, refused_scopes: refused } = request;
  return (
    <Stack gap="xs">
      {scopes.length > 0 ? (
        <>
          <Text fw={500}>It will be able to:</Text>
          <List
            size="sm"
            spacing={6}
            icon={<IconCheck size={16} className={classes.granted} aria-hidden />}
            center={false}
          >
            {scopes.map((scope) => (
              <List.Item key={scope}>{SCOPES_IN_WORDS[scope]}</List.Item>
            ))}
          </List>
        </>
      ) : (
        <Text>Your role can't give it any of the access that it asks for. Ask an admin of your organization.</Text>
      )}
      {refused.length > 0 && (
        <Text size="sm" c="dimmed">
          Not included, because your role can't:{" "}
          {refused.map((scope) => SCOPES_IN_WORDS[scope].toLowerCase()).join("; ")}.
        </Text>
      )}
    </Stack>
  );
}

function approve(body: ApproveProgramRequest): Promise<ProgramDecided> {
  return send("POST", "/api/console/sign-ins/approve", body);
}

function deny(body: ProgramQuestion): Promise<ProgramDecided> {
  return send("POST", "/api/console/sign-ins/deny", body);
}
