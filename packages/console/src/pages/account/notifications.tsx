import type { ChangeNoticesRequest, NoticeChoices, NoticeTopic } from "@dbdepot/contract/console/notices";
import { Stack, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Loaded } from "../../components/loaded.tsx";
import { showError } from "../../components/notices.ts";
import { Section } from "../../components/section.tsx";
import { accountApi, noticesQuery } from "./api.ts";

const TOPICS: Record<NoticeTopic, { label: string; description: string }> = {
  licences: { label: "Licences", description: "60, 30 and 7 days before a licence ends, and when it has ended" },
  terms: { label: "Terms", description: "When you must accept terms before you can download" },
  keys: { label: "API keys", description: "7 days before a key expires, and when it has expired" },
  builds: { label: "Withdrawn builds", description: "When a build that you can download is withdrawn" },
  webhooks: { label: "Webhooks", description: "When a webhook or a delivery to a bucket fails for a day" },
  requests: { label: "Access requests", description: "When a customer asks for a licence" },
  limits: { label: "Limits", description: "When a limit is nearly reached" },
};

/** The topics that the person is notified of by e-mail. Roles without topics don't see the section. */
export function Notifications() {
  const notices = useQuery(noticesQuery);
  return (
    <Loaded query={notices} rows={3} isEmpty={({ topics }) => topics.length === 0}>
      {({ mail, topics }) => (
        <Section
          title="Notifications"
          description={
            mail
              ? "At most one e-mail a day, and only if there is news."
              : "This service sends no notifications at the moment. Your choices apply as soon as it does."
          }
        >
          <Stack gap="md">
            {topics.map((choice) => (
              <Choice key={choice.topic} {...choice} />
            ))}
          </Stack>
        </Section>
      )}
    </Loaded>
  );
}

function Choice({ topic, enabled }: ChangeNoticesRequest) {
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (isOn: boolean) => accountApi.changeNotices({ topic, enabled: isOn }),
    onSuccess: (choices: NoticeChoices) => queryClient.setQueryData(noticesQuery.queryKey, choices),
    onError: showError,
  });
  // While the change is saved, the switch shows what was chosen.
  const isOn = change.isPending ? change.variables : enabled;
  return (
    <Switch {...TOPICS[topic]} checked={isOn} onChange={({ currentTarget }) => change.mutate(currentTarget.checked)} />
  );
}
