import { vi } from "vitest";

// Test files share a worker, which saves half of the run's time. Our own modules are loaded anew for each file, so that
// no state of theirs, such as the newest id, gets from one file into the next.
vi.resetModules();
