import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** `npx vite console` serves the sources while you work on them, with the API of a server on port 8080. */
export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: {
    target: "es2023",
    // The first versions with light-dark(), which would otherwise be replaced by something that ignores Mantine's setting.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // The Content-Security-Policy allows no data: fonts.
    assetsInlineLimit: 0,
    // Mantine and React, which every page needs, are just over the default of 500 kB. Pages and charts are loaded on demand.
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { "/api": "http://127.0.0.1:8080" } },
});
