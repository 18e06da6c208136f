import { useMantineColorScheme } from "@mantine/core";
import { sessionApi, useAccount } from "../../app/session.ts";
import { showError } from "../../components/notices.ts";
import type { JumpTarget } from "./target.ts";

type Opening = Pick<JumpTarget, "title" | "words" | "link">;

const ADMIN: Opening[] = [
  { title: "Create a key", words: "new api add", link: { to: "/keys", state: { opens: "create" } } },
  { title: "Create a webhook", words: "new add", link: { to: "/webhooks", state: { opens: "create" } } },
  {
    title: "Create a destination",
    words: "new add bucket s3 delivery",
    link: { to: "/destinations", state: { opens: "create" } },
  },
  { title: "Invite someone", words: "add people account team", link: { to: "/team", state: { opens: "invite" } } },
];

const OPERATOR: Opening[] = [
  {
    title: "Add an organization",
    words: "new create customer",
    link: { to: "/organizations", state: { opens: "create" } },
  },
  {
    title: "Add a family",
    words: "new create database catalogue",
    link: { to: "/catalogue", state: { opens: "create" } },
  },
  {
    title: "Invite someone",
    words: "add people account operator",
    link: { to: "/accounts", state: { opens: "invite" } },
  },
];

/** The actions that are available on every page to everyone or to the role. */
export function useActions(): JumpTarget[] {
  const { role } = useAccount();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const openings = role === "admin" ? ADMIN : role === "operator" ? OPERATOR : [];
  const signOut = () =>
    sessionApi
      .signOut()
      .then(() => window.location.assign("/console/sign-in"))
      .catch(showError);
  const schemes = ["light", "dark"] as const;
  return [
    ...openings.map(action),
    ...schemes
      .filter((scheme) => scheme !== colorScheme)
      .map((scheme) =>
        action({ title: `Switch to the ${scheme} theme`, words: "appearance mode", run: () => setColorScheme(scheme) }),
      ),
    action({ title: "Sign out", words: "log out leave", run: () => void signOut() }),
  ];
}

/** The action that rotates a key that was found. */
export function rotationOf(key: JumpTarget): JumpTarget {
  const { title, detail = "", words, link } = key;
  const found = { search: { ...(link?.search as object), q: detail }, state: { opens: "rotate" } };
  return action({ title: `Rotate ${title}`, words: [detail, words].join(" "), link: { ...link, ...found } });
}

export function grantTo(organization: JumpTarget): JumpTarget {
  const { title, words = "", link } = organization;
  return action({ title: `Grant a licence to ${title}`, words, link: { ...link, state: { opens: "grant" } } });
}

export function publicationOf(database: JumpTarget): JumpTarget {
  const { title, detail = "", link } = database;
  return action({
    title: `Publish a build of ${title}`,
    words: detail,
    link: { ...link, state: { opens: "publish" } },
  });
}

function action(target: Omit<JumpTarget, "id" | "kind">): JumpTarget {
  return { ...target, id: `${target.title} ${target.words}`, kind: "Action" };
}
