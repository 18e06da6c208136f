import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { updateFamily } from "../../../src/domain/catalogue/catalogue.ts";

/** Removes the fields added since interface 1.0 from the text of a response, and leaves every other byte. */
function withoutNewFields(text: string): string {
  return text.replaceAll(
    /,"(?:license_type|renews_at|notice_due_at|open|terms_to_accept|sample|patch|sample_formats)":(?:"[^"]*"|\[[^\]]*\]|true|false|null)/g,
    "",
  );
}

for (const stage of eitherStage()) {
  describe(`responses without the fields added since 1.0 on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      await operator.addDatabase("bogon_ip_v1");
      await operator.addDatabase("vpn_ip_v1");
      await updateFamily(operator.operation(), "bogon_ip", { open: true });
      await operator.publish("bogon_ip_v1");
      await operator.publish("vpn_ip_v1", "content", ["csvgz"]);
    });
    afterAll(() => test.dispose());

    it("list has the bytes of 1.0", async () => {
      const [starts, expires] = ["2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"];
      await test.operator.grant("Acme", "vpn_ip", { starts: new Date(starts), expires: new Date(expires) });
      const { text } = await acme.list();
      expect(text).toContain('"sample_formats":["csvgz"]');
      expect(withoutNewFields(text)).toBe(
        '{"databases":[' +
          '{"base":"bogon_ip","name":"The family bogon_ip","summary":"What bogon_ip_v1 contains",' +
          '"standing":"unlicensed","redistribution":null,"starts":null,"expires":null,' +
          '"versions":[{"id":"bogon_ip_v1","version":1,"summary":"What bogon_ip_v1 contains","formats":["csvgz","mmdb"]}]},' +
          '{"base":"vpn_ip","name":"The family vpn_ip","summary":"What vpn_ip_v1 contains",' +
          `"standing":"licensed","redistribution":"internal","starts":"${starts}","expires":"${expires}",` +
          '"versions":[{"id":"vpn_ip_v1","version":1,"summary":"What vpn_ip_v1 contains","formats":["csvgz","mmdb"]}]}' +
          "]}\n",
      );
    });

    it("downloads has the bytes of 1.0", async () => {
      await acme.get("/api/v2/database/download?id=vpn_ip_v1&format=mmdb", { "user-agent": "one" });
      await acme.get("/api/v2/database/download?id=nothing_v1&format=mmdb", { "user-agent": "two" });
      const { text } = await acme.get("/api/v2/database/downloads");
      expect(text).toContain('"sample":false');
      const from = `"apikey_id":"${acme.keyId}","client_ip":"127.0.0.1"`;
      const created = test.clock.now().toISOString();
      const bytes = fileBytes("mmdb", "content").length;
      expect(withoutNewFields(text)).toBe(
        '{"downloads":[' +
          `{"dataset_id":"nothing_v1","format":"mmdb","outcome":"unknown","bytes":null,"http_status":404,${from},"user_agent":"two","created":"${created}"},` +
          `{"dataset_id":"vpn_ip_v1","format":"mmdb","outcome":"ok","bytes":${bytes},"http_status":302,${from},"user_agent":"one","created":"${created}"}` +
          "]}\n",
      );
    });
  });
}
