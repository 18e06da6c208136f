import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "vite";

const STYLES = join(dirname(createRequire(import.meta.url).resolve("@mantine/core/styles.css")), "styles");

/**
 * Adds the styles of a Mantine component to the module with the names of its classes, instead of the styles of all
 * components to every page. A component imports those that it is made of before, and so do its styles.
 */
export function mantineStyles(): Plugin {
  return {
    name: "mantine-styles",
    transform(code, id) {
      if (!/@mantine\/core\/.*\.module\.mjs$/.test(id)) return null;
      const styles = join(STYLES, `${basename(id, ".module.mjs")}.layer.css`);
      return existsSync(styles) ? { code: `import ${JSON.stringify(styles)};\n${code}`, map: null } : null;
    },
  };
}
