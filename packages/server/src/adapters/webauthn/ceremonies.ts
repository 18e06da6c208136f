import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Passkey, PasskeyCeremonies } from "../../domain/accounts/passkey.ts";
import { conflict } from "../../platform/primitives/faults.ts";

/** EdDSA, ES256 and RS256: what authenticators support. By default, the library tries what Node.js calls experimental. */
const ALGORITHMS = { supportedAlgorithmIDs: [-8, -7, -257] };

/** WebAuthn for the site at `publicUrl()`, whose name authenticators show. */
export function openCeremonies(siteName: string, publicUrl: () => string): PasskeyCeremonies {
  // After a password, the authenticator need not check who uses it.
  const expected = (challenge: string, requireUserVerification = false) => {
    const { rpID, origin } = siteOf(publicUrl());
    return { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpID, requireUserVerification };
  };
  const verify = async (
    response: Record<string, unknown>,
    expectation: ReturnType<typeof expected>,
    { credentialId, publicKey, counter, transports }: Passkey,
  ) => {
    const { verifyAuthenticationResponse } = await load();
    const verified = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      ...expectation,
      credential: { id: credentialId, publicKey: bytesOf(publicKey), counter, transports },
    }).catch(() => undefined);
    return verified?.verified ? verified.authenticationInfo.newCounter : undefined;
  };
  return {
    async creationOptions({ id, email, name }, existing, challenge) {
      const { generateRegistrationOptions } = await load();
      const options = await generateRegistrationOptions({
        rpName: siteName,
        rpID: siteOf(publicUrl()).rpID,
        userID: new Uint8Array(Buffer.from(id)),
        userName: email,
        userDisplayName: name || email,
        challenge: bytesOf(challenge),
        excludeCredentials: existing.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
        ...ALGORITHMS,
        authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
      });
      return { ...options };
    },
    async verifyCreation(response, challenge) {
      const { verifyRegistrationResponse } = await load();
      const attempt = {
        response: response as unknown as RegistrationResponseJSON,
        ...expected(challenge),
        ...ALGORITHMS,
      };
      // The library throws for everything that is malformed or does not match.
      const { registrationInfo } = await verifyRegistrationResponse(attempt).catch(() => ({ registrationInfo: null }));
      if (!registrationInfo) return undefined;
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString("base64url"),
        counter,
        transports,
        signsInAlone: registrationInfo.userVerified && isDiscoverable(attempt.response),
      };
    },
    async requestOptions(passkeys, challenge) {
      const { generateAuthenticationOptions } = await load();
      const options = await generateAuthenticationOptions({
        rpID: siteOf(publicUrl()).rpID,
        challenge: bytesOf(challenge),
        allowCredentials: passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
        userVerification: "discouraged",
      });
      return { ...options };
    },
    async signInOptions(challenge) {
      const { generateAuthenticationOptions } = await load();
      const { rpID } = siteOf(publicUrl());
      const verification = { userVerification: "required" } as const;
      return { ...(await generateAuthenticationOptions({ rpID, challenge: bytesOf(challenge), ...verification })) };
    },
    verifyUse: (response, challenge, passkey) => verify(response, expected(challenge), passkey),
    async verifyUseAlone(response, challenge, passkey) {
      const counter = await verify(response, expected(challenge, true), passkey);
      const { userHandle } = (response as unknown as AuthenticationResponseJSON).response ?? {};
      return userHandle === Buffer.from(passkey.accountId).toString("base64url") ? counter : undefined;
    },
  };
}

/** Whether the authenticator can find the passkey without being told its id. Only the browser says so. */
function isDiscoverable({ clientExtensionResults }: RegistrationResponseJSON): boolean {
  return clientExtensionResults?.credProps?.rk === true;
}

/** Imported on demand: it is large, and many servers have no passkeys. */
function load() {
  return import("@simplewebauthn/server");
}

/**
 * Passkeys belong to a host name. Browsers accept no IP address, so a server that only this machine can reach has to be opened as
 * localhost.
 */
function siteOf(publicUrl: string): { rpID: string; origin: string } {
  const url = new URL(publicUrl);
  const isLocal = url.hostname.startsWith("127.") || url.hostname === "[::1]";
  if (isLocal) url.hostname = "localhost";
  else if (isIP(url.hostname.replace(/^\[|\]$/g, "")) > 0) {
    throw conflict(
      "passkeys need a host name, and this service has only an IP address: its operator has to set DBDEPOT_PUBLIC_URL",
    );
  }
  return { rpID: url.hostname, origin: url.origin };
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, "base64url"));
}
