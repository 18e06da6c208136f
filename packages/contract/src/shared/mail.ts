import Type, { type Static } from "typebox";
import { closedObject } from "./closed-object.ts";

/** The field `mail` of responses whose request sends an e-mail. */
export const MailResult = Type.Union(
  [
    closedObject("MailResult", "What is known about the e-mail.", {
      state: Type.Enum(["sent", "waiting", "failed", "unknown"], {
        description:
          "`waiting`: it will be sent later, because the mail server is slow or down. `failed`: the mail server refused it. `unknown`: it may have arrived, and is not sent again.",
      }),
      error: Type.Union([Type.String({ examples: ["450 4.2.0 try again later"] }), Type.Null()], {
        description: "Only for operators: what the mail server said, or null.",
      }),
    }),
    Type.Null(),
  ],
  { description: "What is known about the e-mail, or null if the server sends none." },
);
export type MailResult = Static<typeof MailResult>;
