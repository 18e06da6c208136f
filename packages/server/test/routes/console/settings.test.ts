import { EffectiveSettings } from "@dbdepot/contract/console/settings";
import { Value } from "typebox/value";
import { expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { settingsReport } from "../../../src/settings/report.ts";
import { parseSettings } from "../../../src/settings/settings.ts";
import { SETTINGS } from "../../../src/settings/table.ts";
import { personOf } from "./person.ts";

const SECRETS = {
  DBDEPOT_DATABASE_URL: "postgres://depot:pa%40ss-1@db.example:5432/depot?sslpassword=pass-2&application_name=depot",
  AWS_ACCESS_KEY_ID: "AKIA-secret-3",
  AWS_SECRET_ACCESS_KEY: "secret-4",
  AWS_SESSION_TOKEN: "secret-5",
  DBDEPOT_SMTP_URL: "smtp://mailer:se@cret:6@mail.example:587",
  DBDEPOT_MAIL_FROM: "Depot <noreply@example.com>",
  OTEL_EXPORTER_OTLP_ENDPOINT: "https://secret-7@collector.example/v1?api_key=secret-8",
};

it("masks every secret and shows the rest", () => {
  const report = settingsReport(parseSettings(SECRETS));
  const text = JSON.stringify(report);
  for (const secret of ["ss-1", "pass-2", "secret-", "se@cret", "cret:6", "mailer"]) expect(text).not.toContain(secret);
  const shown = (name: string) => report.find((each) => each.name === name)?.value;
  expect(shown("DBDEPOT_DATABASE_URL")).toBe(
    "postgres://•••@db.example:5432/depot?sslpassword=•••&application_name=depot",
  );
  expect(shown("DBDEPOT_SMTP_URL")).toBe("smtp://•••@mail.example:587");
  expect(shown("DBDEPOT_MAIL_FROM")).toBe("Depot <noreply@example.com>");
  expect(report.find(({ name }) => name === "AWS_SECRET_ACCESS_KEY")).toMatchObject({ is_set: true, value: null });
});

it("hides the value of every setting whose name says that it is secret", () => {
  const secret = settingsReport(parseSettings({})).filter((each) => each.secret);
  const names = Object.keys(SETTINGS).filter(
    (name) => /KEY|SECRET|TOKEN|PASSWORD/.test(name) && !/MAX_KEYS|PER_KEY|KEYS_DIR|LINK_KEY_FILE/.test(name),
  );
  expect(secret.map(({ name }) => name)).toEqual(names);
});

for (const stage of eitherStage()) {
  it(`GET /api/console/settings returns every setting and no secret on ${stage.name}`, async () => {
    const mail = { DBDEPOT_SMTP_URL: "smtp://mailer:hunter2@127.0.0.1:1", DBDEPOT_MAIL_FROM: "a@example.com" };
    const test = await testService(stage, mail);
    try {
      const operator = await personOf(test, "olivia@example.com", "operator_viewer");
      const { status, json, text } = await operator.get("/api/console/settings");
      expect(status).toBe(200);
      expect(Value.Check(EffectiveSettings, json)).toBe(true);
      const { settings } = json as EffectiveSettings;
      expect(settings.map(({ name }) => name)).toEqual(Object.keys(SETTINGS));
      expect(settings.find(({ name }) => name === "DBDEPOT_PORT")).toMatchObject({ value: "0", is_set: true });
      expect(settings.find(({ name }) => name === "DBDEPOT_WORKERS")).toMatchObject({ value: "1", is_set: false });
      expect(text).not.toContain("hunter2");
      expect(text).not.toContain("postgres:postgres");
    } finally {
      await test.dispose();
    }
  });
}
