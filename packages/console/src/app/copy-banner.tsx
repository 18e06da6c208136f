import { Alert } from "@mantine/core";
import { formatDate } from "../components/format.ts";
import { useSession } from "./session.ts";

/** Tells the vendor's people that this is not the server that their customers use. */
export function CopyBanner() {
  const { copied } = useSession();
  if (!copied) return null;
  return (
    <Alert color="yellow" mb="lg" title={`This is a copy from ${formatDate(copied)}`}>
      It sends no webhooks or e-mail. If it takes the place of the original, run <code>dbdepot-server activate</code>.
    </Alert>
  );
}
