import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { BuildUpload, PublishBuildRequest, PublishedBuild } from "@dbdepot/contract/operator/builds";
import type { FileKind } from "@dbdepot/contract/shared/formats";
import { get, send } from "./api.ts";
import { exportCsv } from "./export-csv.ts";
import { type UploadOptions, uploadFile } from "./upload-file.ts";

/** The endpoints that the console calls to publish a build. */
export const buildUploads = {
  start: (version: string, metadata: Blob) =>
    send<BuildUpload>("POST", `/api/operator/builds?version=${version}`, metadata),
  fromCsv: (version: string, updated: string, file: Blob, options: Parameters<typeof exportCsv>[2]) =>
    exportCsv(`/api/operator/builds/from-csv?version=${version}&updated=${updated}`, file, options),
  get: (id: string) => get<BuildUpload>(`/api/operator/builds/${id}`),
  upload: (id: string, kind: FileKind, rest: Blob, { offset, ...options }: UploadOptions & { offset: number }) =>
    uploadFile(`/api/operator/builds/${id}/files/${kind}?offset=${offset}`, rest, options),
  check: (id: string) => get<BuildCheck>(`/api/operator/builds/${id}/check`),
  publish: (id: string, body: PublishBuildRequest) =>
    send<PublishedBuild>("POST", `/api/operator/builds/${id}/publish`, body),
  /** Works while the page is being closed. */
  discardOnExit: (id: string) =>
    void fetch(`/api/operator/builds/${id}/discard`, { method: "POST", keepalive: true }).catch(() => {}),
};
