import type { Explanation, WhyQuery } from "@dbdepot/contract/operator/why";
import { IconHelpCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { get, query } from "../../app/api.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { QuestionForm } from "./question-form.tsx";
import { Verdict } from "./verdict.tsx";

const route = getRouteApi("/signed-in/why");

export function Why() {
  const question = route.useSearch();
  const navigate = route.useNavigate();
  const { org, id, ...details } = question;
  const isComplete = org !== undefined && id !== undefined;
  const explanation = useQuery({
    queryKey: ["why", question],
    queryFn: () => explain({ org: org ?? "", id: id ?? "", ...details }),
    enabled: isComplete,
    // The answer depends on the current time.
    staleTime: 0,
  });
  return (
    <Page
      title="Explain a download"
      description="What a customer would get for a download right now, and why. Nothing is downloaded or recorded."
    >
      {/* The form starts over if the URL changes, for example by the Back button. */}
      <QuestionForm
        key={JSON.stringify(question)}
        question={question}
        onAsk={(search) => {
          // Asking the same question again does not change the URL, so load the answer again.
          if (JSON.stringify(search) === JSON.stringify(question)) void explanation.refetch();
          else void navigate({ search });
        }}
      />
      {isComplete ? (
        <Loaded query={explanation}>{(found) => <Verdict explanation={found} organization={org} />}</Loaded>
      ) : (
        <EmptyState
          icon={IconHelpCircle}
          title="Choose an organization and a database"
          text="The answer follows the same rules as the download itself, step by step. Its URL can be shared."
        />
      )}
    </Page>
  );
}

function explain(question: WhyQuery): Promise<Explanation> {
  return get(`/api/operator/why?${query(question)}`);
}
