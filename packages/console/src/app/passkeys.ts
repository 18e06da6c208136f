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
