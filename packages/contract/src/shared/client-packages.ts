import Type, { type Static } from "typebox";
import { closedObject } from "./closed-object.ts";

const ClientPackage = closedObject("ClientPackage", "The command `dbdepot` for one system, with Node.js inside.", {
  name: Type.String({ examples: ["dbdepot_amd64.deb"], description: "Its file below `/download/`." }),
  size: Type.Integer({ description: "Bytes." }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
});

export const ClientPackages = closedObject("ClientPackages", "The packages that this server offers.", {
  packages: Type.Array(ClientPackage, { description: "Empty if the operator offers none." }),
});
export type ClientPackages = Static<typeof ClientPackages>;
