import { Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";

export function NotFound() {
  return (
    <PageMessage title="Page not found" text="The address may be mistyped, or the page may have moved.">
      <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
        Go to the start page
      </Button>
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

function PageMessage({ title, text, children }: { title: string; text: string; children: React.ReactNode }) {
  return (
    <Center component="main" mih="60vh" p="md">
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
