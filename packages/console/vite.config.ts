import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { interSubset } from "./inter-subset.ts";
import { mantineStyles } from "./mantine-styles.ts";

/** `npx vite console` serves the sources while you work on them, with the API of a server on port 8080. */
export default defineConfig({
  base: "/console/",
  plugins: [react(), mantineStyles(), interSubset()],
  build: {
    target: "es2023",
    // The first versions with light-dark(), which would otherwise be replaced by something that ignores Mantine's setting.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The Content-Security-Policy allows no data: fonts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page needs.
            { name: "start", tags: ["$initial"], priority: 2 },
            // Only menus, tooltips and lists to choose from need it, and pages load those on demand.
            { name: "floating", test: /@floating-ui/, priority: 1 },
            // Code that so many pages use. One file compresses better than dozens of small ones, but a page should not load
            // much that only other pages need.
            { name: "common", minShareCount: 23, entriesAware: true, entriesAwareMergeThreshold: 20_000 },
          ],
        },
        // The names of groups would otherwise list all of their pages.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, "")}-[hash].js`,
        assetFileNames: ({ names: [name = ""] }) => `assets/${name.replace(/(~.*)?\.\w+$/, "")}-[hash][extname]`,
      },
    },
    // Mantine and React, which every page needs, are just over the default of 500 kB. Pages and charts are loaded on demand.
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8080" } },
});
