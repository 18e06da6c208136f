import type { Tracing } from "../adapters/monitoring/tracing.ts";
import type { IdentityProvider } from "../domain/accounts/identity.ts";
import type { Settings } from "../settings/settings.ts";
import type { Start } from "./start.ts";

export async function openIdentityProvider({ oidc }: Settings): Promise<IdentityProvider | undefined> {
  if (!oidc) return undefined;
  // Imported on demand, because not every server has one.
  const { openProvider } = await import("../adapters/oidc/provider.ts");
  return openProvider(oidc);
}

export async function openTracing({ settings: { otlpEndpoint }, log, opened }: Start): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  // Imported on demand: few servers use it, and it is slow to load.
  const { startTracing } = await import("../adapters/monitoring/tracing.ts");
  const tracing = await startTracing(otlpEndpoint, log);
  opened.defer(() => tracing.close());
  return tracing;
}
