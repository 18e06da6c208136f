import { vi } from "vitest";

// Test files share a worker, which halves the run time. Modules are loaded again for each file, so their state, such as
// the newest id, does not leak into the next file.
vi.resetModules();
