// The import rules of docs/architecture.md: commands and http use the nouns; sql and objects implement the interfaces
// that nouns declare; nouns import none of these.
const nouns = "accounts|audit|backup|builds|catalogue|downloads|events|keys|licences|manifests|organizations|webhooks";

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
    {
      name: "nouns-import-no-adapter",
      severity: "error",
      comment:
        "A noun declares the interface it needs. sql/ and objects/ implement it, http/ and commands/ call the noun.",
      from: { path: `^server/src/(${nouns})/` },
      to: { path: "^server/src/(sql|http|commands|serve\\.ts|service\\.ts|context\\.ts|main\\.ts)" },
    },
    {
      name: "nouns-import-only-the-object-store-interface",
      severity: "error",
      comment: "objects/store.ts is the interface. Only service.ts and context.ts choose an implementation.",
      from: { path: `^server/src/(${nouns})/` },
      to: { path: "^server/src/objects/", pathNot: "^server/src/objects/store\\.ts$" },
    },
    {
      name: "adapters-import-no-caller",
      severity: "error",
      comment: "http/ and commands/ depend on sql/ and objects/ through the nouns, never the other way round.",
      from: { path: "^server/src/(sql|objects)/" },
      to: { path: "^server/src/(http|commands|serve\\.ts|service\\.ts|context\\.ts|main\\.ts)" },
    },
    {
      name: "http-imports-no-adapter",
      severity: "error",
      comment: "service.ts passes the adapters to http/.",
      from: { path: "^server/src/http/" },
      to: { path: "^server/src/(sql/|objects/(?!(store|probe)\\.ts)|commands/|serve\\.ts|service\\.ts)" },
    },
    {
      name: "plugins-import-no-endpoint",
      severity: "error",
      comment: "Endpoints depend on plugins, never the other way round.",
      from: { path: "^server/src/http/plugins/" },
      to: { path: "^server/src/http/(app|routes|(v1|v2|iam|operator|openapi)/)" },
    },
    {
      name: "commands-import-no-adapter",
      severity: "error",
      comment: "Commands get the database and the object store from context.ts.",
      from: { path: "^server/src/commands/" },
      to: { path: "^server/src/(sql/|objects/(?!(store|probe)\\.ts))" },
    },
    {
      name: "contract-imports-no-package",
      severity: "error",
      comment: "Every other package depends on the wire format.",
      from: { path: "^contract/" },
      to: { path: "^(server|exporter|client|console)/" },
    },
    {
      name: "exporter-imports-no-server",
      severity: "error",
      from: { path: "^exporter/" },
      to: { path: "^server/" },
    },
    {
      name: "csv-imports-no-package",
      severity: "error",
      comment: "Shared by the exporter, the publish checks and the operator API.",
      from: { path: "^csv/" },
      to: { path: "^(server|exporter|client|contract|mmdb|terminal)/" },
    },
    {
      name: "durable-files-imports-no-package",
      severity: "error",
      comment: "Shared by the server, the exporter and the client.",
      from: { path: "^durable-files/" },
      to: { path: "^(server|exporter|client|contract|csv|mmdb|terminal)/" },
    },
    {
      name: "mmdb-imports-no-package",
      severity: "error",
      comment: "Shared by the publish checks and the client.",
      from: { path: "^mmdb/src/" },
      to: { path: "^(server|exporter|client|contract)/" },
    },
    {
      name: "client-imports-no-server",
      severity: "error",
      comment: "Customers install the client without the server. It only shares the wire types.",
      from: { path: "^client/", pathNot: "^client/test/" },
      to: { path: "^(server|exporter)/" },
    },
    {
      name: "console-imports-only-the-contract",
      severity: "error",
      comment: "It runs in the browser and knows the server only by the wire types.",
      from: { path: "^console/src/" },
      to: { path: "^(server|exporter|client|csv|durable-files|mmdb|terminal|release)/" },
    },
    {
      name: "terminal-imports-no-package",
      severity: "error",
      comment: "Shared by dbdepot and dbdepot-server.",
      from: { path: "^terminal/" },
      to: { path: "^(server|exporter|client|contract|mmdb)/" },
    },
    {
      name: "bench-imports-nothing-it-measures",
      severity: "error",
      comment: "The bench measures the built programs from the outside.",
      from: { path: "^bench/(src|anchors)/" },
      to: { path: "^(server|exporter|client|contract|mmdb|terminal)/" },
    },
    {
      name: "source-imports-no-test",
      severity: "error",
      comment: "chaos/, fuzz/ and load/ are tests, although they have commands of their own.",
      from: { pathNot: "(^|/)test/|\\.test\\.ts$|^(chaos|fuzz|load)/" },
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
      extensions: [".ts", ".tsx", ".js"],
    },
  },
};
