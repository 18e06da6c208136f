import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** Copied from packages/contract/src/console/accounts.ts, whose import would pull the schemas into the bundle. */
const MIN_LENGTH = 12;

export function passwordProblem(password: string): string | null {
  return password.length < MIN_LENGTH ? `Use at least ${MIN_LENGTH} characters` : null;
}

export function NewPasswordInput(props: PasswordInputProps) {
  return (
    <PasswordInput
      description={`At least ${MIN_LENGTH} characters. A few random words work well.`}
      autoComplete="new-password"
      maxLength={256}
      required
      withAsterisk={false}
      {...props}
    />
  );
}
