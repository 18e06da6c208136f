import type { AccessWay, Destination, DestinationSetup } from "@dbdepot/contract/v2/destinations";
import { PasswordInput, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { CodeBlock } from "../../components/code-block.tsx";
import type { DestinationValues } from "./destination-values.ts";
import { bucketPolicy, permissions, trustPolicy } from "./policies.ts";

export const WAYS: Record<AccessWay, { label: string; description: string }> = {
  vendor: {
    label: "The vendor's own identity",
    description: "The policy of the bucket lets it in. Nothing secret is stored, and there is nothing to renew",
  },
  role: {
    label: "A role",
    description: "The vendor assumes a role of your AWS account, with an external id that is yours alone",
  },
  keys: {
    label: "An access key",
    description: "For storages other than AWS. The secret is stored encrypted, and never shown again",
  },
};

interface AccessFieldsProps {
  form: UseFormReturnType<DestinationValues>;
  setup: DestinationSetup;
  edited: Destination | undefined;
}

/** How the vendor is let into the bucket. */
export function AccessFields({ form, setup, edited }: AccessFieldsProps) {
  const { access, bucket, prefix } = form.values;
  const isOffered = (way: string) => setup.ways.includes(way as AccessWay) || edited?.access === way;
  return (
    <>
      <Radio.Group label="Access" {...form.getInputProps("access")}>
        <Stack gap="xs" mt="xs">
          {Object.entries(WAYS).map(([way, texts]) => isOffered(way) && <Radio key={way} value={way} {...texts} />)}
        </Stack>
      </Radio.Group>
      {access === "role" && (
        <TextInput
          label="ARN of the role"
          placeholder="arn:aws:iam::210987654321:role/dbdepot"
          maxLength={300}
          {...form.getInputProps("roleArn")}
        />
      )}
      {access === "keys" && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
          <TextInput label="Id of the key" autoComplete="off" {...form.getInputProps("accessKeyId")} />
          <PasswordInput
            label="Secret of the key"
            placeholder={edited?.access === "keys" ? "Unchanged" : ""}
            autoComplete="new-password"
            maxLength={256}
            {...form.getInputProps("secret")}
          />
        </SimpleGrid>
      )}
      <AccessHelp access={access} bucket={bucket.trim()} prefix={prefix.trim()} setup={setup} />
    </>
  );
}

interface AccessHelpProps {
  access: AccessWay;
  bucket: string;
  prefix: string;
  setup: DestinationSetup;
}

/** The policies to paste. */
export function AccessHelp({ access, bucket, prefix, setup }: AccessHelpProps) {
  const place = { bucket: bucket || "YOUR-BUCKET", prefix };
  switch (access) {
    case "vendor":
      return <Policy name="policy of the bucket" policy={bucketPolicy(place, setup)} />;
    case "role":
      return (
        <>
          <Policy name="trust policy of the role" policy={trustPolicy(setup)} />
          <Policy name="permissions of the role" policy={permissions(place)} />
        </>
      );
    case "keys":
      return <Policy name="permissions of the key" policy={permissions(place)} />;
  }
}

function Policy({ name, policy }: { name: string; policy: object }) {
  // The actions are in one line.
  const code = JSON.stringify(policy, null, 2).replace(/\[[^{\]]*\]/g, (list) => list.replace(/\s+/g, " "));
  return (
    <Stack gap="xs">
      <Text c="dimmed">Paste this into the {name}:</Text>
      <CodeBlock code={code} label={`Copy the ${name}`} />
    </Stack>
  );
}
