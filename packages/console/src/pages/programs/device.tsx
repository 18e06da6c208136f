import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { getRouteApi } from "@tanstack/react-router";
import { Welcome } from "../sign-in/welcome.tsx";
import { ProgramPage } from "./program-page.tsx";

const route = getRouteApi("/approvals/device");

/** The page of the device flow: the person enters the code that a program shows. */
export function Device() {
  const { user_code } = route.useSearch();
  if (!user_code) return <EnterCode />;
  return <ProgramPage key={user_code} question={{ user_code }} retry={<EnterCodeForm />} />;
}

function EnterCode() {
  return (
    <Welcome title="Sign in a program" description="Enter the code that the program shows.">
      <EnterCodeForm />
    </Welcome>
  );
}

function EnterCodeForm() {
  const navigate = route.useNavigate();
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (value) => (value.trim() === "" ? "Enter the code" : null) },
  });
  return (
    <form
      onSubmit={form.onSubmit(({ code }) => navigate({ search: { user_code: code.trim().toUpperCase() } }))}
      noValidate
    >
      <Stack gap="md">
        <TextInput
          label="Code"
          placeholder="BCDFG-HJKLM"
          size="md"
          maxLength={64}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          data-autofocus
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", textTransform: "uppercase" } }}
          {...form.getInputProps("code")}
        />
        <Button type="submit" size="md">
          Continue
        </Button>
      </Stack>
    </form>
  );
}
