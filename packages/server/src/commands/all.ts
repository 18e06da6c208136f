import type { Command } from "@dbdepot/terminal/command";
import { addAccountCommands } from "./accounts.ts";
import { addAuditCommand } from "./audit.ts";
import { addBackupCommands } from "./backup.ts";
import { addBuildCommands } from "./builds.ts";
import type { Run } from "./context.ts";
import { addCopyCommand } from "./copy.ts";
import { addDemoCommand } from "./demo.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addExportCommand } from "./export.ts";
import { addFamilyCommands } from "./families.ts";
import { addHistoryCommand } from "./history.ts";
import { addImportCommand } from "./import.ts";
import { addKeyCommands } from "./keys.ts";
import { addLegacyKeyCommands } from "./legacy-keys.ts";
import { addLicenceCommands } from "./licences.ts";
import { addMigrateCommand } from "./migrate.ts";
import { addOrganizationCommands } from "./organizations.ts";
import { addServeCommand } from "./serve.ts";
import { addSigningKeyCommands } from "./signing-keys.ts";
import { addVersionCommands } from "./versions.ts";
import { addWebhookCommands } from "./webhooks.ts";
import { addWhyCommand } from "./why.ts";

/** Adds every command, in the order of the help. */
export function addCommands(program: Command, run: Run): void {
  addServeCommand(program, run);
  addDemoCommand(program, run);
  addMigrateCommand(program, run);
  addFamilyCommands(program, run);
  addVersionCommands(program, run);
  addExportCommand(program, run);
  addBuildCommands(program, run);
  addImportCommand(program, run);
  addSigningKeyCommands(program, run);
  addOrganizationCommands(program, run);
  addLicenceCommands(program, run);
  addKeyCommands(program, run);
  addLegacyKeyCommands(program, run);
  addWebhookCommands(program, run);
  addAccountCommands(program, run);
  addHistoryCommand(program, run);
  addAuditCommand(program, run);
  addWhyCommand(program, run);
  addDoctorCommand(program, run);
  addBackupCommands(program, run);
  addCopyCommand(program, run);
}
