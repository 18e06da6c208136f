import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Section } from "../../components/section.tsx";
import { ownRequestsQuery } from "./api.ts";
import classes from "./licences.module.css";
import { LastRequest } from "./request-access.tsx";

/** The vendor's answers to granted requests. The others are shown where people can ask again. */
export function GrantedRequests({ databases }: { databases: readonly Database[] }) {
  const { data } = useQuery(ownRequestsQuery);
  const granted = data?.requests.filter(({ state }) => state === "granted") ?? [];
  if (granted.length === 0) return null;
  const nameOf = (base: string) => databases.find((database) => database.base === base)?.name ?? base;
  return (
    <Section title="Granted requests" description="What your vendor answered.">
      <ul className={classes.list}>
        {granted.map((request) => (
          <li key={request.id} className={classes.item}>
            <Text className={classes.what ?? ""} fw={600}>
              {nameOf(request.base)}
            </Text>
            <LastRequest request={request} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
