import { Alert, List } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

/** Lists the problems of the chosen files. */
export function Problems({ texts }: { texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle />} role="alert">
      <List spacing={4} listStyleType={texts.length > 1 ? "disc" : "none"} withPadding={false}>
        {texts.map((text) => (
          <List.Item key={text}>{text}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
