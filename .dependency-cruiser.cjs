// The import rules of docs/architecture.md.
const server = "^packages/server/src/";

/** The tiers of the server, from top to bottom. Each imports only those below it. */
const TIERS = [
  "main\\.ts",
  "commands/",
  "service/",
  "settings/",
  "http/",
  "adapters/",
  "register/",
  "domain/",
  "platform/",
];

/** The nouns in domain/. Each knows only those to the left of it and above it. */
const NOUNS = [
  ...["access", "audit", "events", "jobs", "brand"],
  ...["catalogue", "keys", "legacy-keys", "programs", "usage", "limits", "organizations"],
  ...["terms", "manifests", "builds", "patches", "sharing", "backup", "mail"],
  ...["privacy", "accounts", "requests", "licences", "downloads"],
  ...["customers", "webhooks", "destinations", "reminders", "notices", "retention"],
];

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      comment: "Two files that import each other, even only for types, cannot be read or moved separately.",
      from: {},
      to: { circular: true },
    },
    ...TIERS.slice(1).map((tier, index) => ({
      name: `${tier.replace(/\\.ts|\//, "")}-imports-only-lower-tiers`,
      severity: "error",
      comment: "Imports point down. A noun declares the interface it needs; an adapter implements it.",
      from: { path: `${server}${tier}` },
      to: { path: `${server}(${TIERS.slice(0, index + 1).join("|")})` },
    })),
    {
      name: "http-gets-its-adapters-from-the-service",
      severity: "error",
      comment: "service/ passes the database, the object store, mail and the sign-in provider to http/.",
      from: { path: `${server}http/` },
      to: { path: `${server}adapters/(sql|objects|mail|oidc)/` },
    },
    {
      name: "the-common-store-imports-no-noun",
      severity: "error",
      comment:
        "Every noun imports it, so its imports would make each noun depend on all. Nouns add to it with declare module.",
      from: { path: `${server}domain/[^/]+\\.ts$` },
      to: { path: `${server}domain/[^/]+/` },
    },
    ...NOUNS.map((noun, index) => ({
      name: `${noun}-imports-only-lower-nouns`,
      severity: "error",
      comment:
        "Nouns that import each other cannot be understood separately. The lower one offers a function, the upper one uses it.",
      from: { path: `${server}domain/${noun}/` },
      to: { path: `${server}domain/[^/]+/`, pathNot: `${server}domain/(${NOUNS.slice(0, index + 1).join("|")})/` },
    })),
    {
      name: "keys-and-accounts-import-not-each-other",
      severity: "error",
      comment: "They have only access in common.",
      from: { path: `${server}domain/(keys|accounts)/` },
      to: { path: `${server}domain/(keys|legacy-keys|accounts)/`, pathNot: `${server}domain/$1/` },
    },
    {
      name: "every-noun-is-listed",
      severity: "error",
      comment: "Add a new noun to NOUNS, below those that it uses.",
      from: { path: `${server}domain/[^/]+/`, pathNot: `${server}domain/(${NOUNS.join("|")})/` },
      to: {},
    },
    {
      name: "plugins-import-no-endpoint",
      severity: "error",
      comment: "Endpoints depend on plugins, never the other way round.",
      from: { path: `${server}http/plugins/` },
      to: { path: `${server}http/(app|routes|(v1|v2|iam|geoip|operator|console|webhooks|oauth|openapi)/)` },
    },
    {
      name: "packages-import-only-shared-packages",
      severity: "error",
      comment:
        "Every package may use the contract, the formats, the patches and the terminal. Only the server uses the exporter.",
      from: { path: "^packages/([^/]+)/(?!test/)", pathNot: "^packages/[^/]+/[^/]+$" },
      to: {
        path: "^packages/(server|client|console|exporter)/",
        pathNot: ["^packages/$1/", "^packages/exporter/src/"],
      },
    },
    {
      name: "shared-packages-import-no-other",
      severity: "error",
      comment: "Both commands, the library and the exporter build on them.",
      from: { path: "^packages/(contract|formats|patches|terminal)/(?!test/)" },
      to: { path: "^packages/(server|client|console|exporter)/" },
    },
    {
      name: "client-and-console-import-no-exporter",
      severity: "error",
      comment: "Customers install the client without the server. The console runs in the browser.",
      from: { path: "^packages/(client|console)/(?!test/)" },
      to: { path: "^packages/exporter/" },
    },
    {
      name: "console-imports-only-the-contract",
      severity: "error",
      comment: "It knows the server only by the wire types.",
      from: { path: "^packages/console/src/" },
      to: { path: "^packages/(formats|patches|terminal)/" },
    },
    {
      name: "bench-imports-nothing-it-measures",
      severity: "error",
      comment: "The bench measures the built programs from the outside.",
      from: { path: "^rigs/bench/(src|anchors)/" },
      to: { path: "^packages/" },
    },
    {
      name: "source-imports-no-test",
      severity: "error",
      comment: "The rigs are tests, although they have commands of their own.",
      from: { path: "^(packages|scripts)/", pathNot: "(^|/)test/|\\.test\\.ts$|vitest" },
      to: { path: "(^|/)test/|\\.test\\.ts$|^rigs/" },
    },
    {
      name: "no-unresolved",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^node:" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "node_modules|(^|/)dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".tsx", ".js"],
    },
  },
};
