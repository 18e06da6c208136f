import { ACCOUNT_SORTS, isRole, ROLES } from "@dbdepot/contract/console/accounts";
import { type Command, examples, InvalidArgumentError, note, type Result } from "@dbdepot/terminal/command";
import { formatDay } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import type { AccountWithOrganization } from "../domain/access/account.ts";
import { organizationIdOf } from "../domain/access/find-organization.ts";
import { type InvitedAccount, inviteAccount, issueLink, updateAccount } from "../domain/accounts/accounts.ts";
import { linkUrl } from "../domain/accounts/link.ts";
import { deleteAccount, moveAccount } from "../domain/accounts/operator-actions.ts";
import { resetSecondFactor } from "../domain/accounts/passkeys.ts";
import { accountState, accountToWire } from "../domain/accounts/wire.ts";
import type { CommandContext, Run } from "./context.ts";
import { SEARCH_OPTION, sortOption } from "./lists.ts";
import { postOf } from "./post.ts";

export function addAccountCommands(program: Command, run: Run): void {
  const accounts = program.command("accounts").description("Manage the people who can sign in to the console");

  accounts
    .command("invite")
    .description("Invite a person and show the link with which they choose a password")
    .argument("<email>", "e-mail address of the person")
    .requiredOption("--role <role>", `role of the person: ${ROLES.join(", ")}`, parseRole)
    .option("--org <org>", "organization of an admin or viewer, by id or exact name")
    .option("--name <name>", "name of the person")
    .addHelpText("after", note("The link is also sent by e-mail if DBDEPOT_SMTP_URL is set."))
    .addHelpText(
      "after",
      examples(
        "dbdepot-server accounts invite ops@vendor.example --role operator",
        "dbdepot-server accounts invite ada@acme.example --role admin --org Acme",
      ),
    )
    .action(
      run(async (context, email, { role, org: organization, name }) =>
        linkResult(
          context,
          await inviteAccount(await context.operation(), undefined, { email, role, organization, name }),
        ),
      ),
    );

  accounts
    .command("list")
    .description("List accounts, of all organizations or of one")
    .argument("[org]", "organization, by id or exact name")
    .option(...SEARCH_OPTION)
    .addOption(sortOption(ACCOUNT_SORTS))
    .action(
      run(async ({ output, store: openStore }, org, request) => {
        const store = await openStore();
        const organizationId = await organizationIdOf(store, org);
        const { items: found } = await store.accounts.page({ organizationId }, request);
        return {
          json: found.map(accountToWire),
          text: output.table(
            ["EMAIL", "NAME", "ROLE", "ORGANIZATION", "STATE", "LAST SIGN-IN", "ID"],
            found.map((account) => [
              account.email,
              account.name,
              account.role,
              account.organization?.name,
              accountState(account),
              account.lastSignIn ? formatDay(account.lastSignIn) : "never",
              account.id,
            ]),
            request.search ? "No account matches." : "No accounts yet.",
          ),
        };
      }),
    );

  accounts
    .command("reset")
    .description("Show a new link: an invitation, or a password reset if the person has signed in before")
    .argument("<account>", "account, by e-mail address or id")
    .action(
      run(async (context, account) =>
        linkResult(context, await issueLink(await context.operation(), undefined, account)),
      ),
    );

  for (const [verb, description, isDisabled] of [
    ["disable", "Sign a person out and refuse further sign-ins", true],
    ["enable", "Let a disabled person sign in again", false],
  ] as const) {
    accounts
      .command(verb)
      .description(description)
      .argument("<account>", "account, by e-mail address or id")
      .action(
        run(async ({ output, operation: openOperation }, idOrEmail) => {
          const account = await updateAccount(await openOperation(), undefined, idOrEmail, { isDisabled });
          return { json: accountToWire(account), text: details(output, account) };
        }),
      );
  }

  addOperatorCommands(accounts, run);
}

function addOperatorCommands(accounts: Command, run: Run): void {
  accounts
    .command("move")
    .description("Move a person to another organization")
    .argument("<account>", "account, by e-mail address or id")
    .requiredOption("--org <org>", "new organization, by id or exact name")
    .addHelpText("after", note("Ends all sessions and removes the password. Send a new link with accounts reset."))
    .addHelpText("after", examples("dbdepot-server accounts move ada@acme.example --org Globex"))
    .action(
      run(async ({ output, operation: openOperation }, idOrEmail, { org }) => {
        const account = await moveAccount(await openOperation(), undefined, idOrEmail, org);
        return { json: accountToWire(account), text: details(output, account) };
      }),
    );

  accounts
    .command("reset-two-factor")
    .description("Remove the passkeys and recovery codes of someone who has lost them")
    .argument("<account>", "account, by e-mail address or id")
    .addHelpText("after", note("Ends all sessions. First make sure that the request really comes from them."))
    .addHelpText("after", examples("dbdepot-server accounts reset-two-factor ada@acme.example"))
    .action(
      run(async ({ operation }, idOrEmail) => {
        const { id, email } = await resetSecondFactor(await operation(), undefined, idOrEmail);
        return {
          json: { id, email },
          text: `${email} can sign in with the password alone, until they add a passkey.\n`,
        };
      }),
    );

  accounts
    .command("delete")
    .description("Delete an account, so that its address can be invited again")
    .argument("<account>", "account, by e-mail address or id")
    .action(
      run(async ({ operation }, idOrEmail) => {
        const { id, email } = await deleteAccount(await operation(), undefined, idOrEmail);
        return { json: { id, email }, text: `Deleted the account of ${email}.\n` };
      }),
    );
}

function parseRole(text: string) {
  if (!isRole(text)) throw new InvalidArgumentError(`Choose from ${ROLES.join(", ")}.`);
  return text;
}

async function linkResult(context: CommandContext, issued: InvitedAccount): Promise<Result> {
  const { settings, output } = context;
  const { account, token, purpose, expires } = issued;
  const link = linkUrl(settings.publicUrl, token.reveal());
  const sent = await postOf(context).sendAbout(account.id);
  return {
    json: {
      account: accountToWire(account),
      purpose,
      link,
      expires: expires.toISOString(),
      mailed: sent?.state === "sent",
      mail: sent,
    },
    text: output.details({
      ...fields(account),
      link,
      "valid until": expires,
      "sent by e-mail": {
        sent: "yes, with a link of its own",
        waiting: "not yet: the server tries again, or pass the link on yourself",
        failed: "no: pass the link on yourself",
        unknown: "unknown: if it does not arrive, pass the link on yourself",
      }[sent?.state ?? "failed"],
    }),
  };
}

function details(output: Output, account: AccountWithOrganization): string {
  return output.details(fields(account));
}

function fields(account: AccountWithOrganization) {
  const { id, email, role, organization } = account;
  return { id, email, role, ...(organization && { organization: organization.name }), state: accountState(account) };
}
