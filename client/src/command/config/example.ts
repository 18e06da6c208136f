/** What `dbdepot config init` writes. A test reads it, as it is and with every line in force. */
export const EXAMPLE = `# dbdepot.toml: what "dbdepot sync" keeps up to date.
# An option wins over the environment, which wins over this file. "dbdepot config" shows what is in force.

# The service's address (DBDEPOT_URL).
url = "https://depot.example"

# A file that holds the key and nothing else (DBDEPOT_API_KEY_FILE). Paths are relative to this file.
key_file = "dbdepot.key"
# Or the key itself, if nobody else can read this file (chmod 600):
# key = "dbd_..."

# Where the databases go.
directory = "databases"

# Which databases: ids, as "dbdepot list" shows them...
databases = ["vpn_ip_v1"]
# ...or tables, for one that has its own formats and file name:
# databases = ["vpn_ip_v1", { id = "bogon_ip_v1", formats = ["csvgz"], file = "bogon.csv.gz" }]

# Left out: mmdb where there is one, else csvgz.
# formats = ["mmdb", "csvgz"]

# "stream": from the service itself, for networks that cannot reach the object storage.
# delivery = "redirect"

# How many files are fetched at the same time, and how many old copies of each are kept.
# parallel = 2
# keep = 0

# Runs after files have changed; DBDEPOT_CHANGED holds their names. If it fails it runs again next time.
# hook = "systemctl reload nginx"

# Before asking, wait up to so long, so that not everybody asks at the same moment. None on a terminal.
# jitter = "5m"

# How long "dbdepot sync --watch" waits between two rounds.
# interval = "1h"

# "dbdepot health" fails when the last good check is older than this.
# max_age = "2d"

# What sync writes down. Left out: .dbdepot-status.json in the directory.
# status_file = "status.json"
`;
