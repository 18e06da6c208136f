import { expect, it } from "vitest";
import { clientInstalls, installFor } from "../src/pages/databases/client-install.ts";

const OFFERED = [
  ...["dbdepot_amd64.deb", "dbdepot-x86_64.rpm", "dbdepot-linux-x64.tar.xz"],
  ...["dbdepot_arm64.deb", "dbdepot-aarch64.rpm", "dbdepot-linux-arm64.tar.xz"],
];

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "dbdepot_amd64.deb"],
  ["Mozilla/5.0 (X11; Ubuntu; Linux aarch64; rv:140.0) Gecko/20100101 Firefox/140.0", "dbdepot_arm64.deb"],
  ["Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "dbdepot-x86_64.rpm"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15", "dbdepot-client.tgz"],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36", "dbdepot-client.tgz"],
  ["Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36", "dbdepot-client.tgz"],
])("offers a reader with %s the file %s first", (userAgent, file) => {
  expect(installFor(userAgent, clientInstalls(userAgent, OFFERED)).file).toBe(file);
});

it("offers only what the service has", () => {
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64)";
  expect(clientInstalls(userAgent, []).map(({ file }) => file)).toEqual(["dbdepot-client.tgz"]);
  const archive = "dbdepot-linux-x64.tar.xz";
  expect(installFor(userAgent, clientInstalls(userAgent, [archive])).file).toBe(archive);
});
