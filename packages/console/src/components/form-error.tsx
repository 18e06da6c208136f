import { Alert } from "@mantine/core";

export function FormError({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {error.message}
    </Alert>
  );
}
