import Type, { type Static } from "typebox";

const DependencyState = Type.Union([Type.Literal("ok"), Type.Literal("unreachable")]);

export const Liveness = Type.Object(
  {
    status: Type.Literal("ok"),
    version: Type.Optional(Type.String({ description: "Only for keys with the scope `operator.read`." })),
    commit: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: "Null if the server runs from source." }),
    ),
  },
  { title: "Liveness", additionalProperties: false },
);
export type Liveness = Static<typeof Liveness>;

export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal("ready"), Type.Literal("not_ready")], {
      description:
        "`not_ready` while the server is stopping, while download attempts cannot be stored, and after a database outage has outlasted the grace period.",
    }),
    database: Type.Object({ state: DependencyState }, { additionalProperties: false }),
    storage: Type.Object({ state: DependencyState }, { additionalProperties: false }),
    history: Type.Object(
      {
        state: Type.Union([Type.Literal("ok"), Type.Literal("unwritable")], {
          description: "`unwritable` if neither the database nor the spool can store download attempts.",
        }),
      },
      { additionalProperties: false },
    ),
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
