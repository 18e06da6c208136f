import type { AddTermsRequest } from "@dbdepot/contract/operator/terms";
import { FileInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { FormDialog } from "../../components/form-dialog.tsx";
import { showError, showSuccess } from "../../components/notices.ts";
import { TERMS_KEY, termsApi } from "./api.ts";

interface AddTermsDialogProps {
  /** The document to add a version to. Without it, a new one is added. */
  document?: Pick<AddTermsRequest, "name" | "title">;
  onClose: () => void;
}

/** Continues on the page of the new version. */
export function AddTermsDialog({ document, onClose }: AddTermsDialogProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<AddTermsRequest>({
    initialValues: { name: "", title: "", ...document, text: "" },
    validate: {
      name: (value) => (value.trim() === "" ? "Enter a name" : null),
      title: (value) => (value.trim() === "" ? "Enter a title" : null),
      text: (value) => (value.trim() === "" ? "Choose a file, or paste the text" : null),
    },
  });
  const add = useMutation({
    mutationFn: termsApi.add,
    onSuccess: async ({ id, added }) => {
      await queryClient.invalidateQueries({ queryKey: TERMS_KEY });
      showSuccess(added ? `${id} has been added.` : `${id} already has this text. Nothing was changed.`);
      onClose();
      await navigate({ to: "/terms/$id", params: { id } });
    },
  });
  const read = async (file: File | null) => {
    try {
      const bytes = file && (await file.arrayBuffer());
      if (bytes) form.setFieldValue("text", new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      showError(new Error("The file is not plain text in UTF-8."));
    }
  };
  return (
    <FormDialog
      title={document ? `Add a version of ${document.name}` : "Add terms"}
      submitLabel={document ? "Add version" : "Add terms"}
      mutation={add}
      onSubmit={form.onSubmit(({ name, ...rest }) => add.mutate({ name: name.trim(), ...rest }))}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="Lower-case letters, digits and hyphens. A document keeps its name; each new text is a version of it."
        placeholder="data-licence"
        {...(document ? { disabled: true } : { "data-autofocus": true })}
        {...form.getInputProps("name")}
      />
      <TextInput
        label="Title"
        description="Customers see it"
        placeholder="Data licence agreement"
        {...form.getInputProps("title")}
      />
      <FileInput
        label="File"
        description="Plain text or Markdown, up to 256 KiB. It is shown as it is."
        placeholder="Choose a file"
        accept=".txt,.md,text/plain,text/markdown"
        onChange={read}
      />
      <Textarea label="Text" autosize minRows={6} maxRows={14} {...form.getInputProps("text")} />
    </FormDialog>
  );
}
