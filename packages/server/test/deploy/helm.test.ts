import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { StatefulSet } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Job } from "kubernetes-models/batch/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { Pod, Service } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSettings, unknownSettings } from "../../src/settings/settings.ts";
import { HelmTemplates } from "./helm-template.ts";

const CHART = join(import.meta.dirname, "../../../../deploy/helm/dbdepot");
const read = (path: string) => readFileSync(join(CHART, path), "utf8");
/** Helm reads YAML 1.1, in which 0440 is octal. */
const parseYaml = (text: string) => parse(text, { version: "1.1" });
const chart = parseYaml(read("Chart.yaml"));
const defaults = parseYaml(read("values.yaml"));
const helpers = read("templates/_helpers.tpl");
const templates = readdirSync(join(CHART, "templates"), { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".yaml"),
);

const EVERYTHING = {
  image: { tag: "1.2.3" },
  imagePullSecrets: [{ name: "registry" }],
  signingKeys: { existingSecret: "dbdepot-signing-keys" },
  freshnessKeys: { existingSecret: "dbdepot-freshness-keys" },
  secretsKey: { existingSecret: "dbdepot-secrets-key" },
  extraVolumes: [{ name: "certificates", configMap: { name: "private-ca" } }],
  extraVolumeMounts: [{ name: "certificates", mountPath: "/etc/ssl/private-ca", readOnly: true }],
  volume: { storageClassName: "fast" },
  serviceMonitor: { enabled: true },
};
const NOTHING = {
  autoscaling: { enabled: false },
  podDisruptionBudget: { enabled: false },
  ingress: { enabled: false },
  networkPolicy: { enabled: false },
};
const KINDS = { StatefulSet, HorizontalPodAutoscaler, Job, Ingress, NetworkPolicy, PodDisruptionBudget, Pod, Service };

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked with Kubernetes' schemas.
type Manifest = any;

/** The manifests by kind, as `helm template` would write them with these values. */
function render(values: Record<string, unknown> = {}): Record<string, Manifest> {
  const root = { Values: merge(defaults, values), Release: { Name: "acme" }, Chart: { AppVersion: chart.appVersion } };
  const engine = new HelmTemplates(helpers);
  const manifests = templates.map((name) => parseYaml(engine.render(read(`templates/${name}`), root)));
  return Object.fromEntries(manifests.filter((manifest) => manifest !== null).map((each) => [each.kind, each]));
}

/** Helm merges maps, and replaces everything else. */
function merge(base: Manifest, values: Manifest): Manifest {
  const isMap = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isMap(base) || !isMap(values)) return values;
  const merged = Object.entries(values).map(([name, value]) => [name, merge(base[name], value)]);
  return { ...base, ...Object.fromEntries(merged) };
}

/** The paths of fields that a schema does not look at, because it does not know them. */
function unknownFields(manifest: Manifest, validate: (watched: Manifest) => void): string[] {
  const unread = new Set<string>();
  const watch = (value: Manifest, path: string): Manifest => {
    if (typeof value !== "object" || value === null) return value;
    for (const name of Object.keys(value)) unread.add(`${path}.${name}`);
    const fields = Object.entries(value).map(([name, each]) => [name, watch(each, `${path}.${name}`)]);
    const copy = Array.isArray(value) ? fields.map(([, each]) => each) : Object.fromEntries(fields);
    return new Proxy(copy, {
      get(target, name) {
        unread.delete(`${path}.${String(name)}`);
        return Reflect.get(target, name);
      },
    });
  };
  validate(watch(manifest, ""));
  return [...unread];
}

describe("deploy/helm/dbdepot", () => {
  it("has the version of the project", () => {
    const { version } = JSON.parse(readFileSync(join(CHART, "../../../package.json"), "utf8"));
    expect(chart).toMatchObject({ version, appVersion: version });
  });

  it.each([
    ["its defaults", {}, Object.keys(KINDS)],
    ["everything turned on", EVERYTHING, [...Object.keys(KINDS), "ServiceMonitor"]],
    ["everything turned off", NOTHING, ["Job", "Pod", "Service", "StatefulSet"]],
  ])("matches Kubernetes' schemas with %s", (_, values, kinds) => {
    const manifests = render(values);
    expect(Object.keys(manifests).sort()).toEqual(kinds.toSorted());
    for (const [kind, Model] of Object.entries(KINDS)) {
      const manifest = manifests[kind];
      if (!manifest) continue;
      expect([manifest.apiVersion, manifest.kind]).toEqual([Model.apiVersion, Model.kind]);
      expect(unknownFields(manifest, (watched) => Model.prototype.validate.call(watched))).toEqual([]);
    }
  });

  it("uses every value", () => {
    const used = [helpers, ...templates.map((name) => read(`templates/${name}`))].flatMap((text) =>
      [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = ""]) => path),
    );
    const leaves = (value: unknown, path: string): string[] =>
      used.includes(path) || typeof value !== "object" || value === null
        ? [path]
        : Object.entries(value).flatMap(([name, each]) => leaves(each, `${path}.${name}`));
    expect(leaves(defaults, "").filter((path) => !used.includes(path))).toEqual([]);
  });

  it("has valid default settings, and takes everything secret from existing Secrets", () => {
    const secrets = {
      DBDEPOT_DATABASE_URL: "postgres://user:password@host/name",
      DBDEPOT_SMTP_URL: "smtp://user:password@host:587",
      DBDEPOT_OIDC_CLIENT_SECRET: "secret",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
    };
    for (const name of Object.keys(secrets)) expect(read("values.yaml")).toContain(name);
    expect(Object.keys(defaults.settings).filter((name) => name in secrets)).toEqual([]);
    expect(unknownSettings({ ...defaults.settings, ...secrets })).toEqual([]);
    const others = {
      DBDEPOT_MAIL_FROM: "noreply@vendor.example",
      DBDEPOT_OIDC_ISSUER: "https://login.example.com",
      DBDEPOT_OIDC_CLIENT_ID: "dbdepot",
    };
    expect(parseSettings({ ...defaults.settings, ...others, ...secrets })).toMatchObject({ objects: { store: "s3" } });
    const manifests = render();
    expect(Object.keys(manifests)).not.toContain("Secret");
    for (const { spec } of [manifests.StatefulSet, manifests.Job]) {
      const [container] = spec.template.spec.containers;
      expect(container.envFrom).toEqual([{ secretRef: { name: "dbdepot" } }]);
    }
  });

  it("mounts keys where the server looks for them, readable by its group only, and extra volumes", () => {
    const { volumes, containers, securityContext } = render(EVERYTHING).StatefulSet.spec.template.spec;
    for (const [name, setting, file] of [
      ["signing-keys", "DBDEPOT_SIGNING_KEYS_DIR", ""],
      ["freshness-keys", "DBDEPOT_FRESHNESS_KEYS_DIR", ""],
      ["secrets-key", "DBDEPOT_SECRETS_KEY_FILE", "/secrets.key"],
    ]) {
      const mountPath = `/etc/dbdepot/${name}`;
      expect(containers[0].env).toContainEqual({ name: setting, value: `${mountPath}${file}` });
      expect(containers[0].volumeMounts).toContainEqual({ name, mountPath, readOnly: true });
      expect(volumes).toContainEqual({ name, secret: { secretName: `dbdepot-${name}`, defaultMode: 0o440 } });
      expect(JSON.stringify(render())).not.toContain(name);
    }
    expect(securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 0 });
    expect(volumes).toEqual(expect.arrayContaining(EVERYTHING.extraVolumes));
    expect(containers[0].volumeMounts).toEqual(expect.arrayContaining(EVERYTHING.extraVolumeMounts));
  });

  it("probes the health endpoints, with the user of the image, a read-only root and without privileges", () => {
    const manifests = render();
    const { spec } = manifests.StatefulSet.spec.template;
    const [container] = spec.containers;
    const at = (path: string) => ({ path, port: "http" });
    expect(container.startupProbe.httpGet).toEqual(at("/healthz"));
    expect(container.livenessProbe.httpGet).toEqual(at("/healthz"));
    expect(container.readinessProbe.httpGet).toEqual(at("/readyz"));
    const dockerfile = readFileSync(join(CHART, "../../docker/Dockerfile"), "utf8");
    for (const pod of [spec, manifests.Job.spec.template.spec, manifests.Pod.spec]) {
      const { runAsUser, runAsGroup } = pod.securityContext;
      expect(dockerfile).toContain(`\nUSER ${runAsUser}:${runAsGroup}\n`);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(pod.containers[0].securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
    }
  });

  it("waits before it stops a server, with the only program that the image has", () => {
    const { terminationGracePeriodSeconds, containers } = render().StatefulSet.spec.template.spec;
    const [program, option, script] = containers[0].lifecycle.preStop.exec.command;
    expect([program, option]).toEqual(["node", "-e"]);
    let delayMs = 0;
    new Function("setTimeout", script)((_: unknown, ms: number) => {
      delayMs = ms;
    });
    expect(delayMs).toBeGreaterThan(0);
    const shutdownMs = 1000 * Number(defaults.settings.DBDEPOT_SHUTDOWN_SECONDS);
    expect(1000 * terminationGracePeriodSeconds).toBeGreaterThan(delayMs + shutdownMs);
  });

  it.each([
    [200, 0],
    [503, 1],
  ])("has a test whose exit code for status %d of /readyz is %d", async (status, exitCode) => {
    const { metadata, spec } = render().Pod;
    expect(metadata.annotations["helm.sh/hook"]).toBe("test");
    const [program, ...args] = spec.containers[0].command;
    expect(program).toBe("node");
    await using server = createServer((request, response) => {
      response.writeHead(request.url === "/readyz" ? status : 404).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    expect(args.at(-1)).toContain("http://acme/");
    const script = args.with(-1, args.at(-1).replace("http://acme/", `http://127.0.0.1:${port}/`));
    expect(await once(spawn(process.execPath, script), "exit")).toEqual([exitCode, null]);
  });

  it("selects the pods of the servers, not those of the migration and the test", () => {
    const manifests = render();
    const { matchLabels } = manifests.StatefulSet.spec.selector;
    expect(manifests.StatefulSet.spec.template.metadata.labels).toEqual(matchLabels);
    expect(manifests.Service.spec.selector).toEqual(matchLabels);
    expect(manifests.PodDisruptionBudget.spec.selector.matchLabels).toEqual(matchLabels);
    expect(manifests.Job.spec.template.metadata.labels).not.toEqual(matchLabels);
    expect(manifests.Pod.metadata.labels).not.toEqual(matchLabels);
  });

  it("lets all pods reach the database, the storage, webhooks and the mail server, and the test reach the servers", () => {
    const manifests = render();
    const { podSelector, egress, ingress } = manifests.NetworkPolicy.spec;
    const labels = [manifests.StatefulSet, manifests.Job].map((each) => each.spec.template.metadata.labels);
    for (const each of [...labels, manifests.Pod.metadata.labels]) expect(each).toMatchObject(podSelector.matchLabels);
    const anywhere = egress.filter((rule: Manifest) => !rule.to).flatMap((rule: Manifest) => rule.ports);
    const ports = anywhere.filter(({ protocol }: Manifest) => protocol === "TCP").map(({ port }: Manifest) => port);
    expect(ports).toEqual([53, 5432, 443, 587, 465]);
    const selected = (rules: Manifest[]) => rules.map(({ to, from }) => (to ?? from)?.[0].podSelector?.matchLabels);
    expect(selected(egress)).toContainEqual(manifests.Service.spec.selector);
    expect(selected(ingress)).toContainEqual(manifests.Pod.metadata.labels);
  });
});

describe("the renderer of the chart's templates", () => {
  const engine = new HelmTemplates('{{- define "name" -}}\n{{ .name }}!\n{{- end }}\n');
  it.each([
    ["a: {{ .x | quote }}", 'a: "1"'],
    ["{{ .none | default .x }}", "1"],
    ["a:\n  {{- toYaml .map | nindent 2 }}", "a:\n  b: 2\n  c: 3"],
    ["{{- with .map }}{{ .b }}{{ $.x }}{{ else }}-{{ end }}", "21"],
    ["{{ with .none }}{{ . }}{{ else }}-{{ end }}", "-"],
    ["{{- range $key, $value := .map }}\n{{ $key }}={{ $value }}\n{{- end }}", "\nb=2\nc=3"],
    ["{{ if .none }}a{{ end }}{{ range .list }}{{ . }},{{ end }}", "4,5,"],
    ['{{ include "name" .map2 }}', "x!"],
  ])("renders %s like Helm", (template, expected) => {
    const root = { x: 1, none: "", map: { c: 3, b: 2 }, map2: { name: "x" }, list: [4, 5] };
    expect(engine.render(template, root)).toBe(expected);
  });

  it.each(["{{ .y }}", "{{ upper .x }}", '{{ include "other" . }}', "{{ if .x }}", "{{ end }}"])(
    "refuses %s",
    (template) => {
      expect(() => engine.render(template, { x: 1 })).toThrow();
    },
  );
});
