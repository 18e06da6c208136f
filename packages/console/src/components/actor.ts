/** Says who made a change: `command:ada`, `key:dbd_4fT9xQ2a`, `account:ada@example.com`, `program:dbdepot-cli`, `vendor`, `service`. */
export function describeActor(actor: string): string {
  const [kind, name = ""] = actor.split(/:(.*)/s);
  if (kind === "account") return name;
  if (kind === "key") return `Key ${name}`;
  if (kind === "program") return `Program ${name}`;
  if (kind === "vendor") return "the vendor";
  if (kind === "service") return "the service";
  return kind === "command" ? `${name} (command line)` : actor;
}
