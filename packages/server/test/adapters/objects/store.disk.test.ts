import { openDiskWithGateway } from "./disk-with-gateway.ts";
import { storeContract } from "./store.contract.ts";

storeContract("Disk store and gateway", () => openDiskWithGateway());
