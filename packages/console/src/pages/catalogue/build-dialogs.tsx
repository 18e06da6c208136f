import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import { Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { formatCount, formatDate } from "../../components/format.ts";
import { showError, showSuccess } from "../../components/notices.ts";
import { catalogueApi, catalogueQuery } from "./api.ts";
import { previousOf } from "./build-changes.ts";

interface BuildDialogProps {
  build: ListedBuild;
  /** All builds of the version, newest first. */
  builds: readonly ListedBuild[];
  onClose: () => void;
}

export function RollbackDialog({ build, builds, onClose }: BuildDialogProps) {
  const current = builds.find((each) => each.current);
  const rollBack = useChange(() => catalogueApi.rollBack(build.version_id, { to: build.id }), {
    message: `${build.version_id} now serves ${nameOf(build).replace("The", "the")}.`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Go back to ${nameOf(build).replace("The", "the")}?`}
      confirmLabel="Make it current"
      isReversible
      isPending={rollBack.isPending}
      onConfirm={() => rollBack.mutate()}
      onClose={onClose}
    >
      <Consequences>
        Customers get {describe(build)} within a second{current && <>, instead of {describe(current)}</>}. Programs that
        poll for changes notice it and download the file again.
      </Consequences>
      <Consequences>
        {current && "The build that is current now is kept, and you can make it current again. "}
        The next publish replaces the build as usual.
      </Consequences>
    </ConfirmDialog>
  );
}

export function WithdrawDialog({ build, builds, onClose }: BuildDialogProps) {
  const previous = previousOf(build, builds);
  const [reason, setReason] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const withdraw = useChange(() => catalogueApi.withdrawBuild(build.id, { reason }), {
    message: `${nameOf(build)} has been withdrawn.`,
    onDone: onClose,
  });
  const confirm = () => {
    setIsMissing(reason.trim() === "");
    if (reason.trim() !== "") withdraw.mutate();
  };
  return (
    <ConfirmDialog
      title={`Withdraw ${nameOf(build).replace("The", "the")}?`}
      confirmLabel="Withdraw build"
      isPending={withdraw.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Consequences>
        {!build.current ? (
          <>Customers keep getting the current build.</>
        ) : previous ? (
          <>Customers get {describe(previous)} within a second, and programs that poll for changes download it again.</>
        ) : (
          <>
            There is no earlier build, so downloads of {build.version_id} get <code>NOT_AVAILABLE</code> until you
            publish a new one.
          </>
        )}
      </Consequences>
      <Consequences>
        Requests for exactly this build get <code>UNKNOWN_BUILD</code>. Links that were already handed out work until
        they expire, and files that were downloaded stay with the customers. This can't be undone.
      </Consequences>
      <TextInput
        label="Reason"
        description="Customers see it in the console and in the event"
        placeholder="Wrong countries in Asia"
        maxLength={500}
        required
        error={isMissing && "Say why, so that customers know what to do."}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </ConfirmDialog>
  );
}

export function DiscardDialog({ build, onClose }: Omit<BuildDialogProps, "builds">) {
  const discard = useChange(() => catalogueApi.discardBuild(build.id), {
    message: "The unpublished build has been discarded.",
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title="Discard the unpublished build?"
      confirmLabel="Discard build"
      isPending={discard.isPending}
      onConfirm={() => discard.mutate()}
      onClose={onClose}
    >
      Everything that was uploaded for it is deleted. If someone is uploading it right now, the upload stops. Customers
      never saw it.
    </ConfirmDialog>
  );
}

function useChange(change: () => Promise<unknown>, { message, onDone }: { message: string; onDone: () => void }) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      showSuccess(message);
      onDone();
    },
    onError: showError,
  });
}

function Consequences({ children }: { children: ReactNode }) {
  return <Text mb="sm">{children}</Text>;
}

function describe({ updated, entries }: ListedBuild): string {
  return `the build of ${formatDate(updated)} with ${formatCount(entries)} rows`;
}

/** Several builds can have the same date, so the time of publication says which one it is. */
function nameOf({ updated, published }: ListedBuild): string {
  const time = published && new Date(published).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return `The build of ${formatDate(updated)}${time ? `, published ${time}` : ""}`;
}
