import { describe } from "vitest";
import { testDemoPages } from "./demo-pages.ts";

// The pages are in two files, so that they run in parallel.
describe("the shell blocks for operators", () => {
  testDemoPages((path) => path.startsWith("docs/operate/"));
});
