import { html } from "./openapi/page/html.ts";
import { htmlPage } from "./openapi/page/shell.ts";
import { publish } from "./openapi/published.ts";

/** The page that people see when they open the service's address in a browser. */
export const home = publish(() =>
  htmlPage(
    "dbdepot",
    html`<header>
<h1>dbdepot</h1>
<p>This service distributes databases as files: list, download, verify.</p>
</header>
<main class="home" id="content">
<ul class="cards">
<li><a href="/docs"><strong>API reference</strong>A guide with curl, every endpoint with examples, and all error codes.</a></li>
<li><a href="/openapi.json"><strong>OpenAPI document</strong>The same for programs and client generators, in OpenAPI 3.1.</a></li>
</ul>
<h2>Download a database</h2>
<p>You need a key with the scope <code>db.download</code>. Your vendor or your organization's admin creates it.</p>
<pre tabindex="0"><code>export DBDEPOT_CLIENT_URL="https://depot.example"   # the address of this page
export DBDEPOT_CLIENT_KEY="dbd_..."                 # your key

# See what you can download
curl -fsS -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" "$DBDEPOT_CLIENT_URL/api/v2/database/list"

# Download it
curl -fsSL -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" -o vpn_ip_v1.mmdb \\
  "$DBDEPOT_CLIENT_URL/api/v2/database/download?id=vpn_ip_v1&amp;format=mmdb"
</code></pre>
<p>The <a href="/docs">API reference</a> shows how to verify a file and how to keep it up to date.</p>
<h2>Run this service</h2>
<p>Operators publish builds, grant licences and issue keys with <code>dbdepot-server</code>. The README explains each step.</p>
<pre tabindex="0"><code>npx dbdepot-server --help    # every command
npx dbdepot-server doctor    # check settings, database and storage
npx dbdepot-server why Acme vpn_ip_v1    # find out why a download is refused
</code></pre>
</main>`,
  ),
);
