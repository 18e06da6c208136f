import { Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ErrorComponentProps, Link, useMatches, useRouter } from "@tanstack/react-router";
import { brand } from "./brand.ts";

export function NotFound() {
  return (
    <PageMessage title="Page not found" text="The address may be mistyped, or the page may have moved.">
      <StartPageButton />
    </PageMessage>
  );
}

/** Instead of a page that the person's role may not use. */
export function NotAllowed({ reason }: { reason: string }) {
  return (
    <PageMessage title="Not available to you" text={reason}>
      <StartPageButton />
    </PageMessage>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <PageMessage title="This page could not be shown" text={error instanceof Error ? error.message : String(error)}>
      <Button
        variant="default"
        onClick={() => {
          reset();
          void router.invalidate();
        }}
      >
        Try again
      </Button>
    </PageMessage>
  );
}

export function PagePending() {
  return (
    <Center mih="60vh">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}

function StartPageButton() {
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
      Go to the start page
    </Button>
  );
}

function PageMessage({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  useDocumentTitle(`${title} · ${brand.name}`);
  // The shell already has a <main>.
  const isInShell = useMatches({
    select: (matches) => matches.some(({ routeId, status }) => routeId === "/signed-in" && status === "success"),
  });
  return (
    <Center component={isInShell ? "div" : "main"} mih="60vh" p="md">
      <Stack align="center" gap="xs" maw={420} ta="center">
        <Title order={1}>{title}</Title>
        <Text c="dimmed" mb="md">
          {text}
        </Text>
        {children}
      </Stack>
    </Center>
  );
}
