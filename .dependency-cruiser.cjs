// The arrows of docs/architecture.md: commands and http use the nouns; sql and objects
// implement the ports that nouns declare; nouns know neither.
const nouns = "accounts|audit|builds|catalogue|downloads|keys|licences|organizations";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-circles",
      severity: "error",
      comment: "A circle hides which of two files is the foundation of the other.",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "nouns-know-no-adapter",
      severity: "error",
      comment: "A noun declares the port that it needs; sql/ and objects/ implement it; http/ and commands/ use it.",
      from: { path: `^server/src/(${nouns})/` },
      to: { path: "^server/src/(sql|http|commands|service\\.ts|context\\.ts|main\\.ts)" },
    },
    {
      name: "nouns-know-objects-by-port-only",
      severity: "error",
      comment: "The object store's port is objects/store.ts; which store is behind it is service.ts's affair.",
      from: { path: `^server/src/(${nouns})/` },
      to: { path: "^server/src/objects/", pathNot: "^server/src/objects/store\\.ts$" },
    },
    {
      name: "adapters-know-no-door",
      severity: "error",
      comment: "sql/ and objects/ are used by the doors (http/, commands/), never the other way round.",
      from: { path: "^server/src/(sql|objects)/" },
      to: { path: "^server/src/(http|commands|service\\.ts|context\\.ts|main\\.ts)" },
    },
    {
      name: "http-knows-no-adapter",
      severity: "error",
      comment: "Only service.ts knows both the adapters and http.",
      from: { path: "^server/src/http/" },
      to: { path: "^server/src/(sql/|objects/(?!(store|probe)\\.ts)|commands/|service\\.ts)" },
    },
    {
      name: "plugins-know-no-endpoint",
      severity: "error",
      comment: "Endpoints use the plugins, never the other way round.",
      from: { path: "^server/src/http/plugins/" },
      to: { path: "^server/src/http/(app|routes|(v1|v2|iam|operator|openapi)/)" },
    },
    {
      name: "commands-know-no-adapter",
      severity: "error",
      comment: "A command gets its database and store from service.ts.",
      from: { path: "^server/src/commands/" },
      to: { path: "^server/src/(sql/|objects/(?!(store|probe)\\.ts))" },
    },
    {
      name: "contract-stands-alone",
      severity: "error",
      comment: "The wire is what everybody else imports.",
      from: { path: "^contract/" },
      to: { path: "^(server|exporter|client|console)/" },
    },
    {
      name: "exporter-knows-no-server",
      severity: "error",
      from: { path: "^exporter/" },
      to: { path: "^server/" },
    },
    {
      name: "csv-stands-alone",
      severity: "error",
      comment: "Exporter, publication and the operator's API read and write CSV with the same code.",
      from: { path: "^csv/" },
      to: { path: "^(server|exporter|client|contract|mmdb|terminal)/" },
    },
    {
      name: "mmdb-stands-alone",
      severity: "error",
      comment: "Publication and customers check a file with the same code.",
      from: { path: "^mmdb/src/" },
      to: { path: "^(server|exporter|client|contract)/" },
    },
    {
      name: "client-knows-no-server",
      severity: "error",
      comment: "What a customer installs holds nothing of the service but the contract's types.",
      from: { path: "^client/", pathNot: "^client/test/" },
      to: { path: "^(server|exporter)/" },
    },
    {
      name: "terminal-stands-alone",
      severity: "error",
      comment: "Both commands are made of it; it knows neither.",
      from: { path: "^terminal/" },
      to: { path: "^(server|exporter|client|contract|mmdb)/" },
    },
    {
      name: "bench-imports-nothing-it-measures",
      severity: "error",
      comment: "The bench starts the real programs.",
      from: { path: "^bench/(src|anchors)/" },
      to: { path: "^(server|exporter|client|contract|mmdb|terminal)/" },
    },
    {
      name: "source-needs-no-test",
      severity: "error",
      from: { pathNot: "(^|/)test/|\\.test\\.ts$" },
      to: { path: "(^|/)test/|\\.test\\.ts$" },
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
      extensions: [".ts", ".js"],
    },
  },
};
