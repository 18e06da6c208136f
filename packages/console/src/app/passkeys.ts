import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

type Options = Record<string, unknown>;

/** Asks the browser for a new passkey. */
export async function createPasskey(options: Options): Promise<Record<string, unknown>> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return { ...(await inWords(startRegistration({ optionsJSON }))) };
}

/** Asks the browser to use one of the passkeys. */
export async function applyPasskey(options: Options): Promise<Record<string, unknown>> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return { ...(await inWords(startAuthentication({ optionsJSON }))) };
}

/** Whether passkeys may work here: browsers allow them for host names with https, or on localhost. */
export function supportsPasskeys(): boolean {
  const isAddress = /^[\d.]+$|:/.test(window.location.hostname);
  return window.isSecureContext && "PublicKeyCredential" in window && !isAddress;
}

/** Whether the browser can offer passkeys in a field, beside what else it knows. */
export async function canOfferPasskeys(): Promise<boolean> {
  return supportsPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true;
}

/** Waits until the person chooses a passkey in the field. Undefined if the offer ends before, as it does when another passkey is asked for. */
export async function offerPasskeys(options: Options): Promise<Record<string, unknown> | undefined> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const response = await startAuthentication({ optionsJSON, useBrowserAutofill: true }).catch(() => undefined);
  return response && { ...response };
}

/** Ends an offer. */
export function cancelPasskey(): void {
  void import("@simplewebauthn/browser").then(({ WebAuthnAbortService }) => WebAuthnAbortService.cancelCeremony());
}

const PROBLEMS: Record<string, string> = {
  NotAllowedError: "It was cancelled or took too long. Try again.",
  InvalidStateError: "You have already added this passkey.",
  SecurityError: "Passkeys work only at the usual address of this console, with https.",
  NotSupportedError: "This browser or device doesn't support passkeys.",
};

async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { name, message } = error as Error;
    throw new Error(PROBLEMS[name] ?? message);
  }
}
