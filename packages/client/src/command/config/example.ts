/** Written by `dbdepot config init`. A test parses it as it is and with all settings uncommented. */
export const EXAMPLE = `# dbdepot.toml: what "dbdepot sync" keeps up to date.
# Options take precedence over the environment, and the environment over this file. "dbdepot config" shows the result.

# URL of the service (DBDEPOT_CLIENT_URL).
url = "https://depot.example"

# File that contains only the key (DBDEPOT_CLIENT_KEY_FILE). Paths are relative to this file.
key_file = "dbdepot.key"
# Or the key itself, if no other user can read this file (chmod 600):
# key = "dbd_..."

# Without either, the key of "dbdepot login" is used. "off" stores it in a file instead of the system's keyring.
# keyring = "off"

# Directory to store the databases in.
directory = "databases"

# Databases to download, by the ids that "dbdepot list" shows...
databases = ["vpn_ip_v1"]
# ...or as tables, to set formats and a file name:
# databases = ["vpn_ip_v1", { id = "bogon_ip_v1", formats = ["csvgz"], file = "bogon.csv.gz" }]

# Default: mmdb if available, else csvgz.
# formats = ["mmdb", "csvgz"]

# "stream" downloads through the service, for networks that cannot reach the object storage.
# delivery = "redirect"

# "never" always downloads whole files, even if the service has a patch that is much smaller.
# deltas = "auto"

# Number of files to download at once, and number of old copies of each file to keep.
# parallel = 2
# keep = 0

# Runs after files have changed; DBDEPOT_CHANGED contains their names. If it fails, it runs again next time.
# hook = "systemctl reload nginx"

# Maximum random delay before the first request, so that not all clients connect at once. On a terminal, or if the
# variable CI is set: no delay.
# jitter = "5m"

# Pause between two rounds of "dbdepot sync --watch". On the command line: --every.
# interval = "1h"

# A mirror to use instead of the service: a directory or a URL that "dbdepot mirror" keeps up to date.
# from = "/srv/mirror"
# The token that a mirror may ask for, if no other user can read this file (chmod 600).
# from_token = "..."

# The vendor's public signing key. Without it, sync trusts the first key that the service shows, and keeps it.
# trust = "RWT+gSwS86tM5upKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"

# "dbdepot health" fails if the last successful check is older than this. If set, a vendor's statement that a build is the
# newest one is not accepted either once it is older than this.
# max_age = "2d"

# What to do if nothing proves that a build is the newest one, although the vendor issues such statements: "warn" uses the
# build anyway.
# on_stale = "fail"

# Where sync records what it has downloaded. Default: .dbdepot-status.json in the directory.
# status_file = "status.json"
`;
