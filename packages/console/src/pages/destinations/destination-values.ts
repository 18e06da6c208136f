import { BUILDS_KEPT, FORMATS, DESTINATION_PATTERNS as PATTERNS } from "@dbdepot/contract/shared/choices";
import type { Format } from "@dbdepot/contract/shared/formats";
import type { AccessWay, Destination, DestinationSetup } from "@dbdepot/contract/v2/destinations";

/** The fields of the form. */
export type DestinationValues = ReturnType<typeof valuesOf>;

/** The values that the form begins with. */
export function valuesOf(edited: Destination | undefined, { ways }: DestinationSetup) {
  return {
    bucket: edited?.bucket ?? "",
    prefix: edited?.prefix ?? "",
    region: edited?.region ?? "",
    endpoint: edited?.endpoint ?? "",
    access: edited?.access ?? ways[0] ?? ("keys" as AccessWay),
    roleArn: edited?.role_arn ?? "",
    accessKeyId: edited?.access_key_id ?? "",
    /** Empty keeps the one that is stored, which is never shown. */
    secret: "",
    families: edited?.families ?? [],
    formats: edited?.formats ?? [...FORMATS],
    keep: edited?.keep ?? (BUILDS_KEPT.default as number | string),
    encryption: edited?.encryption ?? null,
    description: edited?.description ?? "",
  };
}

export function settingsOf(values: DestinationValues) {
  const { bucket, prefix, region, endpoint, families, formats, keep, encryption, description } = values;
  return {
    bucket: bucket.trim(),
    prefix: prefix.trim(),
    region: region.trim(),
    endpoint: endpoint.trim() || null,
    families: families.length > 0 ? families : null,
    formats: formats.length < FORMATS.length ? (formats as Format[]) : null,
    keep: Number(keep),
    encryption,
    description: description.trim(),
  };
}

/** An empty secret is not sent. */
export function accessOf({ access, roleArn, accessKeyId, secret }: DestinationValues) {
  return {
    access,
    ...(access === "role" && { role_arn: roleArn.trim() }),
    ...(access === "keys" && { access_key_id: accessKeyId.trim() }),
    ...(access === "keys" && secret && { secret_access_key: secret.trim() }),
  };
}

/** The API that customers use does not say which value is invalid. */
export function checksOf(edited: Destination | undefined, setup: DestinationSetup) {
  const matches = (name: keyof typeof PATTERNS, text: string) => new RegExp(PATTERNS[name]).test(text.trim());
  return {
    bucket: (text: string) => (matches("bucket", text) ? null : "Enter the name of the bucket, such as acme-data"),
    prefix: (text: string) =>
      matches("prefix", text) ? null : "Letters, digits and . _ = - between single slashes, none at the ends",
    region: (text: string) => (matches("region", text) ? null : "Enter a region, such as eu-west-1"),
    endpoint: (text: string, { access }: DestinationValues) => {
      const endpoint = text.trim();
      if (endpoint !== "" && !/^https?:\/\/./.test(endpoint)) return "Enter a URL that starts with https://";
      const isKnown = ["", setup.endpoint, edited?.endpoint].includes(endpoint);
      return access === "keys" || isKnown ? null : "The vendor's identity is not known there. Use an access key";
    },
    roleArn: (text: string, { access }: DestinationValues) =>
      access !== "role" || matches("roleArn", text) ? null : "Enter an ARN that starts with arn:aws:iam::",
    accessKeyId: (text: string, { access }: DestinationValues) =>
      access !== "keys" || matches("accessKeyId", text) ? null : "Enter the id of the key",
    secret: (text: string, { access, accessKeyId }: DestinationValues) =>
      access !== "keys" || text !== "" || edited?.access_key_id === accessKeyId.trim() ? null : "Enter the secret",
    families: (names: string[]) => {
      const wrong = names.find((name) => !matches("family", name));
      return wrong === undefined ? null : `“${wrong}” is not the id of a family`;
    },
    formats: (formats: string[]) => (formats.length === 0 ? "Choose at least one" : null),
    keep: (count: number | string) => (count === "" ? "Enter a number" : null),
  };
}
