import type { KnipConfig } from "knip";

/** Entry points marked with "!" are what users run; `knip --production` looks for code that only tests use. */
const config: KnipConfig = {
  // Tests may import an export that production code uses only in its own file.
  ignoreExportsUsedInFile: process.argv.includes("--production"),
  workspaces: {
    ".": {
      project: ["chaos/**/*.ts", "fuzz/**/*.ts", "load/**/*.ts", "release/**/*.ts"],
      ignoreBinaries: ["dbdepot-server"],
    },
    bench: {
      entry: ["src/main.ts!", "anchors/bare-http.ts!", "anchors/express.js!", "src/data/postgres-server.ts!"],
      project: ["src/**/*.ts!", "anchors/**!", "test/**/*.ts"],
    },
    client: {
      entry: ["src/index.ts!", "src/command/main.ts!", "test/downloader.ts", "test/fetch-gibibyte.js"],
      project: ["src/**/*.ts!", "*.ts", "test/**/*.{ts,js}"],
      ignoreDependencies: ["@dbdepot/server"],
      ignoreBinaries: ["openssl"],
    },
    console: {
      entry: ["src/main.tsx!", "build.ts!", "test/**/*.test.ts"],
      project: ["src/**/*.{ts,tsx}!", "*.ts", "test/**/*.ts"],
      // A peer dependency of @mantine/charts.
      ignoreDependencies: ["recharts"],
    },
    "{contract,csv,durable-files,exporter,mmdb,terminal}": {
      project: ["src/**/*.ts!", "test/**/*.ts"],
      // Every file is an entry point for the other packages, so look at its exports one by one.
      includeEntryExports: true,
    },
    server: {
      entry: [
        "src/main.ts!",
        "src/builds/document-worker.ts!",
        "src/builds/inspection/inspection-worker.ts!",
        "src/sql/sqlite/worker.ts!",
        "test/sql/replica.ts",
        "test/builds/publisher.ts",
      ],
      project: ["src/**/*.ts!", "*.ts", "test/**/*.ts"],
      // The pages in docs/customers/use run them.
      ignoreDependencies: ["@duckdb/node-api", "maxmind"],
      ignoreBinaries: [
        "apache2",
        "caddy",
        "cc",
        "minisign",
        "mkfifo",
        "mmdblookup",
        "nginx",
        "openssl",
        "prlimit",
        "promtool",
        "systemd-analyze",
      ],
    },
  },
};

export default config;
