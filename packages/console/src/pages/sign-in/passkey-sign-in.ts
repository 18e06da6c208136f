import type { UsedPasskey } from "@dbdepot/contract/console/security";
import type { SessionState } from "@dbdepot/contract/console/sessions";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { rephrase } from "../../app/api-error.ts";
import { applyPasskey, cancelPasskey, canOfferPasskeys, offerPasskeys } from "../../app/passkeys.ts";
import { signInApi } from "./api.ts";

/** Shorter than a challenge lasts, which is five minutes. */
const OFFER_MS = 4 * 60_000;
const OFFER = ["passkey-offer"];
const REFUSED = "This passkey can't sign you in without your password. Enter your e-mail address and password.";

/** Signs in with a passkey alone: one that the browser offers in the e-mail field, or one that it asks for. */
export function usePasskeySignIn(onSignedIn: (session: SessionState) => void) {
  const queryClient = useQueryClient();
  const signIn = useMutation({
    mutationFn: async (offered: UsedPasskey | undefined) => {
      const used = offered ?? (await askForPasskey());
      return signInApi.passkey(used).catch(rephrase("INVALID_CREDENTIALS", REFUSED));
    },
    onSuccess: onSignedIn,
    // The offer has ended, or its challenge is used up.
    onError: () => queryClient.invalidateQueries({ queryKey: OFFER }),
  });
  const { data: offer } = useQuery({
    queryKey: OFFER,
    queryFn: async () => ((await canOfferPasskeys()) ? signInApi.passkeyOptions() : null),
    // A new offer would end the dialog in which the person chooses a passkey.
    enabled: !signIn.isPending,
    staleTime: OFFER_MS,
    refetchInterval: OFFER_MS,
    gcTime: 0,
    retry: false,
  });
  const { mutate } = signIn;
  useEffect(() => {
    if (!offer) return;
    const { token, options } = offer;
    void offerPasskeys(options).then((response) => response && mutate({ token, response }));
    return cancelPasskey;
  }, [offer, mutate]);
  return signIn;
}

async function askForPasskey(): Promise<UsedPasskey> {
  const { token, options } = await signInApi.passkeyOptions();
  return { token, response: await applyPasskey(options) };
}
