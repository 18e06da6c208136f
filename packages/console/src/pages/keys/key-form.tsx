import type { ApiKey, CreatedKey, CreateKeyRequest } from "@dbdepot/contract/iam/keys";
import { Checkbox, Stack, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../app/api-error.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showSuccess } from "../../components/notices.ts";
import type { Keyring } from "./keyring.ts";
import { keysQuery } from "./keyring.ts";

interface KeyFormProps {
  keyring: Keyring;
  /** Undefined to create one. */
  editedKey: ApiKey | undefined;
  /** The name that a new key gets unless the person changes it. */
  suggestedName?: string;
  onClose: () => void;
  onCreated: (created: CreatedKey, expires: string | null) => void;
}

const IPV4 = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/;

export function KeyFormDialog({ keyring, editedKey, suggestedName = "", onClose, onCreated }: KeyFormProps) {
  const queryClient = useQueryClient();
  const lastDay = editedKey?.expires ? localDate(editedKey.expires) : "";
  const form = useForm({
    initialValues: {
      name: editedKey?.name ?? suggestedName,
      scopes: editedKey?.allowed_scopes ?? ["db.download"],
      cidrs: editedKey?.allowed_cidrs ?? [],
      expires: lastDay,
    },
    validate: {
      name: (value) => (value.trim() === "" ? "Enter a name" : null),
      scopes: (value) => (value.length === 0 ? "Choose at least one: a key without scopes can't do anything" : null),
      cidrs: (values) => {
        const wrong = values.find((value) => !isNetwork(value));
        return wrong ? `${wrong} is not an address or a network such as 192.0.2.0/24` : null;
      },
      expires: (value) =>
        value !== "" && value !== lastDay && endOfDay(value) <= new Date().toISOString()
          ? "This day is over. Choose today or a later day"
          : null,
    },
  });
  const save = useMutation({
    mutationFn: async (body: CreateKeyRequest) => {
      if (!editedKey) return keyring.create(body);
      await keyring.update(editedKey.id, body);
      return undefined;
    },
    onSuccess: async (created, { expires = null }) => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey });
      if (created) return onCreated(created, expires);
      showSuccess("The key has been changed.");
      onClose();
    },
  });
  const submit = form.onSubmit(({ name, scopes, cidrs, expires }) =>
    save.mutate({
      name: name.trim(),
      allowed_scopes: scopes as NonNullable<CreateKeyRequest["allowed_scopes"]>,
      allowed_cidrs: cidrs,
      // An unchanged date is not sent, so that the key keeps its time of day.
      ...((!editedKey || form.isDirty("expires")) && { expires: expires ? endOfDay(expires) : null }),
    }),
  );
  return (
    <FormDialog
      title={editedKey ? `Edit ${editedKey.name}` : "Create a key"}
      submitLabel={editedKey ? "Save" : "Create key"}
      mutation={{ ...save, error: save.error && explained(save.error) }}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="What uses it, for example “production firewall”"
        maxLength={100}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Checkbox.Group label="What it may do" {...form.getInputProps("scopes")}>
        <Stack gap="xs" mt="xs">
          <Checkbox
            value="db.download"
            label="Download"
            description="List and download databases, read metadata, checksums and the history"
          />
          <Checkbox
            value="apikeys.manage"
            label="Manage keys"
            description="Create, change and revoke the keys of the organization"
          />
          <Checkbox value="apikeys.read" label="List keys" description="See the keys of the organization" />
          <Checkbox value="org.read" label="Read organization" description="See the organization's name and id" />
          <Checkbox
            value="account.read"
            label="Read account"
            description="For programs that ask for this scope. Every key can identify itself without it"
          />
        </Stack>
      </Checkbox.Group>
      <TagsInput
        label="Allowed networks"
        description="Addresses or CIDRs, confirmed with Enter. Empty: from anywhere"
        placeholder={form.values.cidrs.length === 0 ? "192.0.2.0/24" : ""}
        splitChars={[",", " "]}
        maxTags={100}
        acceptValueOnBlur
        {...form.getInputProps("cidrs")}
      />
      <TextInput
        type="date"
        label="Last day"
        description="The key stops working at the end of this day. Empty: it never expires"
        {...form.getInputProps("expires")}
      />
    </FormDialog>
  );
}

/** The customers' API does not say which value is invalid. The form checks all of them but networks and dates. */
function explained(error: Error): Error {
  if (!(error instanceof ApiError) || error.rc !== "INVALID_REQUEST" || error.isExplained) return error;
  return new Error("The server rejected a value. Check that the networks are valid and the last day is in the future.");
}

/** Whether it is an IPv4 or IPv6 address or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = "", prefix = "0", ...others] = text.split("/");
  const bits = IPV4.test(address) ? 32 : isIpv6(address) ? 128 : -1;
  return others.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]`);
}

/** The date in the viewer's time zone, as the value of a date input. */
function localDate(moment: string): string {
  const date = new Date(moment);
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

function endOfDay(date: string): string {
  return new Date(`${date}T23:59:59`).toISOString();
}
