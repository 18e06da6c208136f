import type { ProgramQuestion, ProgramRequest } from "@dbdepot/contract/console/programs";
import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { send } from "../../app/api.ts";
import { Loaded } from "../../components/loaded.tsx";
import { Welcome } from "../sign-in/welcome.tsx";
import { ApprovalForm, type Decision } from "./approval-form.tsx";

interface ProgramPageProps {
  question: ProgramQuestion;
  /** Shown if the request cannot be found, to try again. */
  retry?: ReactNode;
}

/** Shows who asks and for what, and then the decision. */
export function ProgramPage({ question, retry }: ProgramPageProps) {
  const [decision, setDecision] = useState<Decision>();
  const found = useQuery({
    queryKey: ["program", question],
    queryFn: () => send<ProgramRequest>("POST", "/api/console/sign-ins/inspect", question),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (decision) return <Decided program={found.data?.program ?? "the program"} decision={decision} />;
  if (found.error) {
    return (
      <Welcome title="Nothing to approve">
        <Text role="alert">{found.error.message}</Text>
        {retry}
      </Welcome>
    );
  }
  return (
    <Welcome title={found.data ? `Sign in ${found.data.program}?` : "One moment"}>
      <Loaded query={found} rows={6}>
        {(request) => <ApprovalForm request={request} question={question} onDecided={setDecision} />}
      </Loaded>
    </Welcome>
  );
}

function Decided({ program, decision }: { program: string; decision: Decision }) {
  if (decision.isReturning) {
    return (
      <Welcome title="One moment" description={`Returning to ${program}.`}>
        {null}
      </Welcome>
    );
  }
  return (
    <Welcome
      title={decision.isApproved ? "You're done" : "Denied"}
      description={
        decision.isApproved
          ? `Return to ${program}: it signs in within a few seconds. You can close this page.`
          : `${program} gets no access. You can close this page.`
      }
    >
      <Anchor size="sm" renderRoot={(props) => <Link to="/" {...props} />}>
        Go to the console
      </Anchor>
    </Welcome>
  );
}
