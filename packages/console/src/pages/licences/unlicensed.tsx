import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Section } from "../../components/section.tsx";
import { StandingBadge } from "../databases/standing.tsx";
import classes from "./licences.module.css";
import { RequestAccess } from "./request-access.tsx";

/** The families that the organization has no licence for now. */
export function Unlicensed({ databases }: { databases: readonly Database[] }) {
  if (databases.length === 0) return null;
  return (
    <Section title="Without a licence" description="Databases in the catalogue that you can't download at the moment.">
      <ul className={classes.list}>
        {databases.map((database) => {
          const { base, name, summary, standing } = database;
          return (
            <li key={base} className={classes.item}>
              <div className={classes.what}>
                <Group gap="xs">
                  <Anchor
                    fw={600}
                    c="inherit"
                    renderRoot={(props) => <Link to="/databases/$base" params={{ base }} {...props} />}
                  >
                    {name}
                  </Anchor>
                  <StandingBadge database={database} />
                </Group>
                <Text size="sm" c="dimmed">
                  {summary}
                </Text>
              </div>
              <RequestAccess base={base} name={name} isRenewal={standing === "expired"} />
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
