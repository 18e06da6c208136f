import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { CsvStep, PublishedBuild } from "@dbdepot/contract/operator/builds";
import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { FILE_KINDS } from "@dbdepot/contract/shared/choices";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { buildUploads } from "../../app/build-uploads.ts";
import { plural } from "../../components/format.ts";
import { catalogueApi, catalogueQuery } from "./api.ts";
import { type ChosenFiles, findProblems } from "./build-files.ts";

const COMPARISON_POLL_MS = 1000;

export type Step =
  | { name: "choose"; problems: string[] }
  /** If there is an error, the upload has stopped and can be resumed. */
  | { name: "upload"; sentBytes: number; totalBytes: number; error?: Error }
  /** The server creates the files of the build from a CSV. */
  | { name: "export"; label: string; doneBytes: number; totalBytes: number }
  | { name: "review"; check: BuildCheck; error?: Error; isPublishing: boolean };

export interface Publication {
  step: Step;
  start: (files: ChosenFiles) => Promise<void>;
  startCsv: (csv: File, updated: string) => Promise<void>;
  resume: () => Promise<void>;
  /** Stops the upload and deletes the files that have arrived. */
  cancel: () => Promise<void>;
  publish: (force: boolean) => Promise<PublishedBuild | undefined>;
}

/** Uploads a build, has it checked and publishes it. The build is deleted if the person leaves before that. */
export function usePublication(version: ListedVersion): Publication {
  const queryClient = useQueryClient();
  const [step, setStep] = useState<Step>({ name: "choose", problems: [] });
  const staged = useRef<{ id: string; files: ChosenFiles } | undefined>(undefined);
  const upload = useRef(new AbortController());
  useEffect(() => {
    const discard = () => staged.current && buildUploads.discardOnExit(staged.current.id);
    const warn = (event: BeforeUnloadEvent) => staged.current && event.preventDefault();
    window.addEventListener("pagehide", discard);
    window.addEventListener("beforeunload", warn);
    return () => {
      window.removeEventListener("pagehide", discard);
      window.removeEventListener("beforeunload", warn);
      upload.current.abort();
      discard();
    };
  }, []);

  async function start(files: ChosenFiles): Promise<void> {
    const problems = await findProblems(version, files);
    if (problems.length > 0 || !files.metadata) return setStep({ name: "choose", problems });
    try {
      const { id } = await buildUploads.start(version.id, files.metadata);
      staged.current = { id, files };
    } catch (error) {
      return setStep({ name: "choose", problems: (error as Error).message.split("\n") });
    }
    await resume();
  }

  async function startCsv(csv: File, updated: string): Promise<void> {
    upload.current = new AbortController();
    const { signal } = upload.current;
    const show = (label: string, doneBytes: number, totalBytes: number) =>
      setStep({ name: "export", label, doneBytes, totalBytes });
    show("Uploading", 0, csv.size);
    try {
      const { build } = await buildUploads.fromCsv(version.id, updated, csv, {
        signal,
        onSent: (sent) => show("Uploading", sent, csv.size),
        onStep: (step) => {
          if (step.stage === "done" || step.stage === "failed") return;
          show(describeStep(step), step.done_bytes ?? 0, step.total_bytes ?? 0);
        },
      });
      staged.current = { id: build.id, files: {} };
      await review(build.id);
    } catch (error) {
      if (!signal.aborted) setStep({ name: "choose", problems: (error as Error).message.split("\n") });
    }
  }

  /** Shows the check at once, and the changed rows when the server has compared them. */
  async function review(id: string): Promise<void> {
    let check = await buildUploads.check(id);
    setStep({ name: "review", check, isPublishing: false });
    while (check.comparison?.state === "pending" && staged.current?.id === id) {
      await new Promise((resolve) => setTimeout(resolve, COMPARISON_POLL_MS));
      if (staged.current?.id !== id) return;
      check = await buildUploads.check(id);
      const compared = check;
      setStep((now) => (now.name === "review" && !now.isPublishing ? { ...now, check: compared } : now));
    }
  }

  async function resume(): Promise<void> {
    if (!staged.current) return;
    const { id, files } = staged.current;
    upload.current = new AbortController();
    const { signal } = upload.current;
    const totalBytes = FILE_KINDS.reduce((sum, kind) => sum + (files[kind]?.size ?? 0), 0);
    let sentBytes = 0;
    const show = (more = 0) => setStep({ name: "upload", sentBytes: sentBytes + more, totalBytes });
    show();
    try {
      const { files: stored, received } = await buildUploads.get(id);
      for (const kind of FILE_KINDS) {
        const file = files[kind];
        if (!file) continue;
        const offset = received[kind] ?? 0;
        if (!stored[kind]) {
          await buildUploads.upload(id, kind, file.slice(offset), {
            offset,
            signal,
            onProgress: (sent) => show(offset + sent),
          });
        }
        sentBytes += file.size;
      }
      show();
      await review(id);
    } catch (error) {
      if (!signal.aborted) setStep({ name: "upload", sentBytes, totalBytes, error: error as Error });
    }
  }

  async function cancel(): Promise<void> {
    upload.current.abort();
    const { id } = staged.current ?? {};
    staged.current = undefined;
    setStep({ name: "choose", problems: [] });
    // If this fails, the build stays in the list, from where it can be discarded.
    if (id) await catalogueApi.discardBuild(id).catch(() => {});
    await queryClient.invalidateQueries({ queryKey: catalogueQuery.queryKey });
  }

  async function publish(force: boolean): Promise<PublishedBuild | undefined> {
    if (step.name !== "review" || !staged.current) return undefined;
    const { check } = step;
    setStep({ name: "review", check, isPublishing: true });
    try {
      const published = await buildUploads.publish(staged.current.id, { force });
      staged.current = undefined;
      await queryClient.invalidateQueries({ queryKey: catalogueQuery.queryKey });
      return published;
    } catch (error) {
      // Perhaps another build was published in the meantime.
      const checkedAgain = await buildUploads.check(check.build.id).catch(() => check);
      setStep({ name: "review", check: checkedAgain, isPublishing: false, error: error as Error });
      return undefined;
    }
  }

  return { step, start, startCsv, resume, cancel, publish };
}

function describeStep({ stage, rows = 0 }: Exclude<CsvStep, { stage: "done" | "failed" }>): string {
  if (stage === "reading") return `Reading the CSV: ${plural(rows, "row")}`;
  if (stage === "mmdb") return `Writing the MMDB: ${plural(rows, "row")}`;
  return stage === "sample" ? "Writing the samples" : "Storing and checking the files";
}
