import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { parseSettings, unknownSettings } from "../../src/settings/settings.ts";

const CHART = join(import.meta.dirname, "../../../../deploy/helm/dbdepot");
const read = (path: string) => readFileSync(join(CHART, path), "utf8");
const values = parse(read("values.yaml"));
const helpers = new Map(
  [...read("templates/_helpers.tpl").matchAll(/define "([^"]+)" -}}\n(.*?)\n{{- end }}\n(?=\n|$)/gs)].map(
    ([, name = "", text = ""]) => [name, text],
  ),
);
const templates = readdirSync(join(CHART, "templates")).filter((name) => name.endsWith(".yaml"));

/** `.Values.image.tag` -> the default value. */
function valueAt(path: string): unknown {
  return path
    .split(".")
    .slice(2)
    .reduce((value, name) => value?.[name], values);
}

/** Helm is not an npm package. This fills in as much of a template as the YAML parser needs, with every condition met. */
function render(template: string): string {
  const lines = template.split("\n").flatMap((line) => {
    const [, directive = "", indent = "0"] = /^\s*{{- (.*?)(?: \| nindent (\d+))? }}$/.exec(line) ?? [];
    if (/^(if|with|range|end)\b/.test(directive)) return [];
    const [, helper] = /^include "([^"]+)"/.exec(directive) ?? [];
    const [, path] = /^toYaml (\S+)$/.exec(directive) ?? [];
    const block = helper ? render(helpers.get(helper) ?? "") : path && stringify(valueAt(path) ?? []);
    if (block !== undefined && block !== "")
      return block
        .trimEnd()
        .split("\n")
        .map((text) => " ".repeat(Number(indent)) + text);
    return [line.replaceAll(/{{ (\S+).*? }}/g, (_, name) => String(valueAt(name) ?? "placeholder"))];
  });
  return lines.join("\n");
}

const manifests = templates.map((name) => ({ name, manifest: parse(render(read(`templates/${name}`))) }));
const manifestOf = (name: string) => manifests.find((each) => each.name === name)?.manifest;

describe("deploy/helm/dbdepot", () => {
  it("has the version of the project", () => {
    const { version } = JSON.parse(readFileSync(join(CHART, "../../../package.json"), "utf8"));
    expect(parse(read("Chart.yaml"))).toMatchObject({ version, appVersion: version });
  });

  it("has a manifest of each kind", () => {
    expect(manifests.map(({ manifest }) => manifest.kind).sort()).toEqual([
      "HorizontalPodAutoscaler",
      "Ingress",
      "Job",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
      "ServiceMonitor",
      "StatefulSet",
    ]);
    for (const { manifest } of manifests) expect(manifest.apiVersion).toEqual(expect.any(String));
  });

  it.each([...templates, "_helpers.tpl"])("%s uses only values that values.yaml has", (name) => {
    const paths = [...read(`templates/${name}`).matchAll(/\.Values\.[\w.]+/g)].map(([path]) => path);
    expect(paths.filter((path) => valueAt(path) === undefined)).toEqual([]);
    const included = [...read(`templates/${name}`).matchAll(/include "([^"]+)"/g)].map(([, helper]) => helper);
    expect(included.filter((helper) => !helpers.has(String(helper)))).toEqual([]);
  });

  it("has valid default settings, and takes secrets from a Secret", () => {
    const secrets = {
      DBDEPOT_DATABASE_URL: "postgres://user:password@host/name",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
    };
    expect(unknownSettings(values.settings)).toEqual([]);
    expect(parseSettings({ ...values.settings, ...secrets })).toMatchObject({ objects: { store: "s3" } });
    expect(Object.keys(values.settings).filter((name) => name in secrets)).toEqual([]);
    const [container] = manifestOf("statefulset.yaml").spec.template.spec.containers;
    expect(container.envFrom).toEqual([{ secretRef: { name: values.secret } }]);
  });

  it("probes the health endpoints, with a read-only root and without privileges", () => {
    const { spec } = manifestOf("statefulset.yaml").spec.template;
    const [container] = spec.containers;
    expect(container.livenessProbe.httpGet).toEqual({ path: "/healthz", port: "http" });
    expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "http" });
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true });
    const delay = Number(container.lifecycle.preStop.exec.command[1]);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(
      delay + Number(values.settings.DBDEPOT_SHUTDOWN_SECONDS),
    );
  });

  it("selects the pods of the servers, not those of the migration", () => {
    const { matchLabels } = manifestOf("statefulset.yaml").spec.selector;
    expect(manifestOf("statefulset.yaml").spec.template.metadata.labels).toEqual(matchLabels);
    expect(manifestOf("service.yaml").spec.selector).toEqual(matchLabels);
    expect(manifestOf("pdb.yaml").spec.selector.matchLabels).toEqual(matchLabels);
    expect(manifestOf("migrate.yaml").spec.template.metadata.labels).not.toEqual(matchLabels);
  });
});
