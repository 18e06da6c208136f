import { describe } from "vitest";
import { testDemoPages } from "./demo-pages.ts";

describe("the shell blocks for everyone else", () => {
  testDemoPages((path) => !path.startsWith("docs/operate/"));
});
