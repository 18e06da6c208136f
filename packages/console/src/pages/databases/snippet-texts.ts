import type { Format } from "@dbdepot/contract/shared/formats";
import { fileNameOf } from "./formats.ts";

interface Target {
  url: string;
  id: string;
  format: Format;
  /** The key, or a placeholder. */
  key: string;
  /** Identifies the organization to geoipupdate. */
  accountId: number;
  /** The lines that install `dbdepot`. */
  install: string;
}

interface Snippet {
  name: string;
  text: (target: Target) => string;
  /** Whether it installs the client from the service: as a command, or with npm. */
  client?: "command" | "npm";
  /** The only format that it can download. */
  onlyFormat?: Format;
}

export const SNIPPETS: Snippet[] = [
  { name: "curl", text: curl },
  { name: "dbdepot sync", text: sync, client: "command" },
  { name: "Node.js", text: node, client: "npm" },
  { name: "Python", text: python },
  { name: "Go", text: go },
  { name: "Docker", text: docker, client: "npm" },
  { name: "geoipupdate", text: geoipupdate, onlyFormat: "mmdb" },
];

function curl({ url, id, format, key }: Target): string {
  return `export DBDEPOT_CLIENT_KEY="${key}"

curl -fsSL -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\
  -o ${fileNameOf(id, format)} \\
  "${url}/api/v2/database/download?id=${id}&format=${format}"`;
}

function sync({ url, id, format, key, install }: Target): string {
  return `export DBDEPOT_CLIENT_URL="${url}"
export DBDEPOT_CLIENT_KEY="${key}"

${install}

# Downloads only what has changed, verifies it, and replaces the old file in one step.
dbdepot sync ${id} --formats ${format} --directory databases`;
}

function node({ url, id, format }: Target): string {
  return `// npm install "${url}/download/dbdepot-client.tgz"
import { DbdepotClient } from "@dbdepot/client";

const client = new DbdepotClient({
  baseUrl: "${url}",
  apiKey: process.env.DBDEPOT_CLIENT_KEY,
});
await client.download("${id}", "${format}", { to: "${fileNameOf(id, format)}" });`;
}

function python({ url, id, format }: Target): string {
  return `import os, shutil, urllib.request

# The redirect leads to object storage, which must not get the key: an unredirected header stays here.
request = urllib.request.Request(
    "${url}/api/v2/database/download?id=${id}&format=${format}"
)
request.add_unredirected_header("Authorization", "Bearer " + os.environ["DBDEPOT_CLIENT_KEY"])
with urllib.request.urlopen(request) as response, open("${fileNameOf(id, format)}", "wb") as file:
    shutil.copyfileobj(response, file)`;
}

function go({ url, id, format }: Target): string {
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	request, err := http.NewRequest("GET", "${url}/api/v2/database/download?id=${id}&format=${format}", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("DBDEPOT_CLIENT_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatal(response.Status)
	}
	file, err := os.Create("${fileNameOf(id, format)}")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(file, response.Body); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}`;
}

function docker({ url, id, format }: Target): string {
  return `docker build --tag dbdepot - <<'END'
FROM node:24-alpine
RUN npm install --global ${url}/download/dbdepot-client.tgz
RUN mkdir /databases && chown node /databases
USER node
ENV DBDEPOT_CLIENT_DIRECTORY=/databases
ENTRYPOINT ["dbdepot", "sync", "--watch"]
END

# Keeps the volume "databases" up to date.
docker run --detach --name databases \\
  --env DBDEPOT_CLIENT_URL="${url}" \\
  --env DBDEPOT_CLIENT_KEY \\
  --env DBDEPOT_CLIENT_DATABASES=${id} \\
  --env DBDEPOT_CLIENT_FORMATS=${format} \\
  --volume databases:/databases \\
  dbdepot`;
}

function geoipupdate({ url, id, accountId, key }: Target): string {
  return `cat > GeoIP.conf <<'END'
AccountID ${accountId}
LicenseKey ${key}
EditionIDs ${id}
Host ${url}
END

geoipupdate -f GeoIP.conf -d .`;
}
