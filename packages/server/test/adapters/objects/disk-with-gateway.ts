import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DiskStore, diskStore } from "../../../src/adapters/objects/disk.ts";
import { createGateway, type GatewayOptions } from "../../../src/adapters/objects/gateway.ts";
import type { Authority, Credentials } from "../../../src/adapters/objects/sigv4.ts";
import { systemClock } from "../../../src/platform/primitives/clock.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

export interface DiskWithGateway extends StoreUnderTest {
  store: DiskStore;
  folder: string;
  origin: string;
  authority: Authority;
}

/** Opens a disk store in a temporary folder and starts its gateway on a free port. */
export async function openDiskWithGateway(options: Partial<GatewayOptions> = {}): Promise<DiskWithGateway> {
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-objects-"));
  const credentials = { accessKeyId: "dbdepot", secretAccessKey: "secret" };
  const authority = { credentials, region: "local" };
  const storeAt = (linkOrigin: string, signer: Credentials) =>
    diskStore({ folder, linkOrigin, authority: { ...authority, credentials: signer } });

  // The gateway's own store never signs links, so it can have any origin: the real one is known once the gateway listens.
  const gateway = createGateway({
    store: storeAt("http://localhost", credentials),
    authority,
    now: systemClock,
    ...options,
  });
  const origin = await listen(gateway);
  return {
    store: storeAt(origin, credentials),
    credentials,
    authority,
    folder,
    origin,
    signedWith: (signer) => storeAt(origin, signer),
    async close() {
      await stop(gateway);
      await rm(folder, { recursive: true });
    },
  };
}

export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function stop(server: Server): Promise<void> {
  const closed = once(server.close(), "close");
  server.closeAllConnections();
  await closed;
}
