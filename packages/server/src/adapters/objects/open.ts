import type { ObjectStore } from "../../domain/builds/object-store.ts";
import { diskStore } from "./disk.ts";
import { type EdgeOptions, withEdgeLinks } from "./edge-links.ts";
import type { Sendfile } from "./hand-over.ts";
import { linkSecret } from "./link-secret.ts";
import type { S3Address } from "./s3-url.ts";
import type { Authority, Credentials } from "./sigv4.ts";

export type ObjectsAddress = { store: "disk"; folder: string } | ({ store: "s3" } & S3Address);

export interface ObjectsOptions {
  objects: ObjectsAddress;
  /** Required for S3. */
  aws: Credentials | undefined;
  /** Origin of links (default: the S3 endpoint itself). */
  objectsPublicUrl: string | undefined;
  /** Contains the secret that signs the gateway's links. */
  dataDir: string;
  /** If set, the reverse proxy reads the files too. */
  sendfile: Sendfile | undefined;
  /** If set, links point to a CDN. */
  edge: EdgeOptions | undefined;
}

/** Access key id in the gateway's links. Only the secret matters. */
const GATEWAY_KEY_ID = "dbdepot";
const GATEWAY_REGION = "local";

export async function openObjects(options: ObjectsOptions): Promise<ObjectStore> {
  const store = await openStorage(options);
  return options.edge ? withEdgeLinks(store, options.edge) : store;
}

async function openStorage(options: ObjectsOptions): Promise<ObjectStore> {
  const { objects, aws, objectsPublicUrl } = options;
  if (objects.store === "disk") {
    return diskStore({
      folder: objects.folder,
      linkOrigin: objectsPublicUrl ?? "",
      authority: await gatewayAuthority(options.dataDir),
      isGroupReadable: options.sendfile !== undefined,
    });
  }
  if (!aws) throw new Error("an s3:// store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  // Imported on demand: loading the AWS SDK takes longer than loading everything else.
  const { s3Store } = await import("./s3.ts");
  return s3Store({ address: objects, credentials: aws, publicEndpoint: objectsPublicUrl });
}

/** Signs the gateway's links, and verifies them. */
export async function gatewayAuthority(dataDir: string): Promise<Authority> {
  const secretAccessKey = await linkSecret(dataDir);
  return { credentials: { accessKeyId: GATEWAY_KEY_ID, secretAccessKey }, region: GATEWAY_REGION };
}
