import { Paper, Text } from "@mantine/core";

/** The text as it was uploaded. Markdown is not rendered, so that everyone reads exactly what the digest covers. */
export function TermsText({ title, text }: { title: string; text: string }) {
  return (
    <Paper component="section" aria-label={title} p="lg">
      <Text component="div" maw="80ch" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Text>
    </Paper>
  );
}
