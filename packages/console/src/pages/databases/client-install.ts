/** A way to install `dbdepot` from the service. */
export interface ClientInstall {
  system: string;
  /** Its file below /download/. */
  file: string;
  lines: (url: string) => string;
}

export const WITH_NPM: ClientInstall = {
  system: "npm",
  file: "dbdepot-client.tgz",
  lines: (url) => `# Once: install the command. It needs Node.js.
npm install --global "${url}/download/dbdepot-client.tgz"`,
};

/** The ways to install the packages that the service offers for the reader's processor, and npm. */
export function clientInstalls(userAgent: string, offered: readonly string[]): ClientInstall[] {
  const isArm = /aarch64|arm64/i.test(userAgent);
  const deb = `dbdepot_${isArm ? "arm64" : "amd64"}.deb`;
  const rpm = `dbdepot-${isArm ? "aarch64" : "x86_64"}.rpm`;
  const archive = `dbdepot-linux-${isArm ? "arm64" : "x64"}.tar.xz`;
  const directory = '"$HOME/.local/dbdepot"';
  const packages: ClientInstall[] = [
    { system: "Debian, Ubuntu", file: deb, lines: downloadAnd(deb, `sudo dpkg --install ${deb}`) },
    { system: "Fedora, Red Hat, SUSE", file: rpm, lines: downloadAnd(rpm, `sudo rpm --install ${rpm}`) },
    {
      system: "Linux",
      file: archive,
      lines: downloadAnd(
        archive,
        `mkdir -p ${directory} && tar -xf ${archive} --strip-components=1 -C ${directory}\nexport PATH="$HOME/.local/dbdepot/bin:$PATH"`,
      ),
    },
  ];
  return [...packages.filter(({ file }) => offered.includes(file)), WITH_NPM];
}

/** Browsers name the distribution rarely, so Linux means Debian, the most common one. */
export function installFor(userAgent: string, installs: readonly ClientInstall[]): ClientInstall {
  const isLinux = /Linux/.test(userAgent) && !/Android/.test(userAgent);
  const family = /Fedora|Red Hat|SUSE/i.test(userAgent) ? "Fedora" : "Debian";
  return (isLinux && (installs.find(({ system }) => system.startsWith(family)) ?? installs[0])) || WITH_NPM;
}

function downloadAnd(file: string, install: string): ClientInstall["lines"] {
  return (url) => `# Once: install the command. It needs nothing else.
curl -fsSO "${url}/download/${file}"
${install}`;
}
