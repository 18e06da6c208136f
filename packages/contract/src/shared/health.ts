import Type, { type Static } from "typebox";

const DependencyState = Type.Union([Type.Literal("ok"), Type.Literal("unreachable")]);

export const Liveness = Type.Object({ status: Type.Literal("ok") }, { title: "Liveness", additionalProperties: false });
export type Liveness = Static<typeof Liveness>;

export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal("ready"), Type.Literal("not_ready")], {
      description:
        "`not_ready` while the server is stopping, and after a database outage has outlasted the grace period.",
    }),
    database: Type.Object({ state: DependencyState }, { additionalProperties: false }),
    storage: Type.Object({ state: DependencyState }, { additionalProperties: false }),
    register: Type.Object(
      {
        age_seconds: Type.Number({ description: "Time since the catalogue, licences and keys were last refreshed." }),
      },
      { additionalProperties: false },
    ),
    spool: Type.Object(
      { files: Type.Integer({ description: "Groups of attempts waiting for the database to come back." }) },
      { additionalProperties: false },
    ),
  },
  { title: "Readiness", additionalProperties: false },
);
export type Readiness = Static<typeof Readiness>;
