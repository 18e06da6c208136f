import type { Command } from "@dbdepot/terminal/command";
import { auditCommands } from "./audit.ts";
import { buildCommands } from "./builds.ts";
import type { Workplace } from "./command.ts";
import { demoCommands } from "./demo.ts";
import { doctorCommands } from "./doctor.ts";
import { exportCommands } from "./export.ts";
import { familyCommands } from "./families.ts";
import { historyCommands } from "./history.ts";
import { keyCommands } from "./keys.ts";
import { legacyKeyCommands } from "./legacy-keys.ts";
import { licenceCommands } from "./licences.ts";
import { migrateCommands } from "./migrate.ts";
import { organizationCommands } from "./organizations.ts";
import { serveCommands } from "./serve.ts";
import { versionCommands } from "./versions.ts";
import { whyCommands } from "./why.ts";

/** In the order in which the help lists them. */
export const COMMANDS: readonly Command<Workplace>[] = [
  ...serveCommands,
  ...demoCommands,
  ...migrateCommands,
  ...familyCommands,
  ...versionCommands,
  ...exportCommands,
  ...buildCommands,
  ...organizationCommands,
  ...licenceCommands,
  ...keyCommands,
  ...legacyKeyCommands,
  ...historyCommands,
  ...auditCommands,
  ...whyCommands,
  ...doctorCommands,
];
