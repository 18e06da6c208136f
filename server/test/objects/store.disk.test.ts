import { openDiskPlace } from "./disk-place.ts";
import { storeContract } from "./store.contract.ts";

storeContract("the disk store and its gateway", () => openDiskPlace());
