import type { Explanation, ExplanationStep } from "@dbdepot/contract/operator/why";
import { Anchor, Group, Paper, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { withReadableTimes } from "../../components/format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { STEP_WORDS } from "./steps.ts";
import classes from "./why.module.css";

interface VerdictProps {
  explanation: Explanation;
  /** Id or name of the organization. */
  organization: string;
}

export function Verdict({ explanation, organization }: VerdictProps) {
  const { granted, status, rc, reason, steps } = explanation;
  return (
    <Paper component="section" aria-label="Answer" className={classes.verdict ?? ""}>
      <Stack gap="xs" p="lg">
        <Group gap="sm">
          <Title order={2}>{granted ? "The download works" : "The download is refused"}</Title>
          <StatusBadge tone={granted ? "good" : "bad"}>{granted ? status : `${status} ${rc}`}</StatusBadge>
        </Group>
        <Text>{sentence(withReadableTimes(reason))}</Text>
      </Stack>
      <ol className={classes.steps} aria-label="Steps">
        {steps.map((step) => (
          <Step key={step.name} step={step} explanation={explanation} organization={organization} />
        ))}
      </ol>
    </Paper>
  );
}

const MARKS = {
  passed: { icon: IconCheck, color: "green.8", word: "Passed" },
  failed: { icon: IconX, color: "red.8", word: "Failed" },
  not_checked: { icon: IconMinus, color: "gray.6", word: "Not checked" },
} as const;

function Step({ step: { name, result }, explanation, organization }: VerdictProps & { step: ExplanationStep }) {
  const { icon: Icon, color, word } = MARKS[result];
  const finding = explanation.facts.find((fact) => fact.name === name)?.finding;
  const words = STEP_WORDS[name];
  return (
    <li className={classes.step}>
      <ThemeIcon size={24} radius="xl" color={color} role="img" aria-label={word}>
        <Icon size={15} stroke={2.4} aria-hidden="true" />
      </ThemeIcon>
      <div className={classes.words}>
        <Text fw={500} {...(result === "not_checked" && { c: "dimmed" })}>
          {words[result]}
        </Text>
        {finding && result !== "not_checked" && (
          <Text size="sm" c="dimmed" className={classes.finding ?? ""}>
            {name === "organization" ? (
              <Anchor
                inherit
                renderRoot={(props) => <Link to="/organizations/$id" params={{ id: organization }} {...props} />}
              >
                {withoutIds(finding)}
              </Anchor>
            ) : (
              withReadableTimes(withoutIds(finding))
            )}
          </Text>
        )}
        {result === "failed" && words.tab && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/organizations/$id" params={{ id: organization }} search={{ tab: words.tab }} {...props} />
            )}
          >
            {words.remedy}
          </Anchor>
        )}
      </div>
    </li>
  );
}

const UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const IDS = new RegExp(` \\(${UUID}\\)|${UUID}, | ${UUID}(?= of )`, "g");

/** Programs need the ids of the organization, the licence and the build, people do not. */
function withoutIds(finding: string): string {
  return finding.replace(IDS, "");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
