import type { KnipConfig } from "knip";

/** Entry points marked with "!" are what users run; `knip --production` looks for code that only tests use. */
const config: KnipConfig = {
  // Tests may import an export that production code uses only in its own file.
  ignoreExportsUsedInFile: process.argv.includes("--production"),
  workspaces: {
    ".": {
      project: ["rigs/{chaos,fuzz,harness,load}/**/*.ts", "scripts/**/*.ts"],
      // dependency-cruiser reads our code with its API, which TypeScript 7 does not have.
      ignoreDependencies: ["typescript"],
      ignoreBinaries: ["dbdepot-server", "apache2", "bwrap", "chroot", "nginx", "perl"],
      stryker: ["scripts/mutate/stryker.config.js"],
      vitest: ["vitest.config.ts", "scripts/mutate/vitest.config.ts"],
    },
    "rigs/bench": {
      entry: ["src/main.ts!", "anchors/bare-http.ts!", "anchors/express.js!"],
      project: ["src/**/*.ts!", "anchors/**!", "test/**/*.ts"],
    },
    "packages/client": {
      entry: [
        "src/index.ts!",
        "src/command/main.ts!",
        "src/download/patch-worker.ts!",
        "test/downloader.ts",
        "test/fetch-gibibyte.js",
      ],
      project: ["src/**/*.ts!", "*.ts", "test/**/*.{ts,js}"],
      // The keyring is loaded only if it is installed beside the command.
      ignoreDependencies: ["@dbdepot/server", "@napi-rs/keyring"],
      ignoreBinaries: ["faketime", "openssl"],
    },
    "packages/console": {
      entry: ["build.ts!", "test/**/*.test.ts"],
      project: ["src/**/*.{ts,tsx}!", "*.ts", "test/**/*.ts"],
    },
    "packages/{contract,exporter,formats,terminal}": {
      project: ["src/**/*.ts!", "test/**/*.ts"],
      // Every file is an entry point for the other packages, so look at its exports one by one.
      includeEntryExports: true,
    },
    "packages/patches": {
      project: ["src/**/*.ts!", "test/**/*.ts"],
    },
    "packages/server": {
      entry: [
        "src/main.ts!",
        "src/domain/builds/document-worker.ts!",
        "src/domain/builds/inspection/inspection-worker.ts!",
        "src/domain/patches/patch-worker.ts!",
        "src/domain/sharing/table-worker.ts!",
        "src/adapters/sql/sqlite/worker.ts!",
        "test/adapters/sql/replica.ts",
        "test/domain/builds/publisher.ts",
        "test/domain/jobs/runners.ts",
        "test/domain/usage/updates.ts",
      ],
      project: ["src/**/*.ts!", "*.ts", "test/**/*.ts"],
      // The pages in docs/customers/use run them.
      ignoreDependencies: ["@duckdb/node-api", "maxmind"],
      ignoreBinaries: [
        "caddy",
        "cc",
        "minisign",
        "mkfifo",
        "mmdblookup",
        "mount",
        "openssl",
        "prlimit",
        "prometheus",
        "promtool",
        "systemd-analyze",
        "umount",
      ],
    },
  },
};

export default config;
