import type { Delivery } from "@dbdepot/contract/v2/webhooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { showError, showSuccess } from "../../components/notices.ts";
import { responseOf } from "./state.tsx";
import { WEBHOOKS_KEY } from "./webhook-source.ts";

/** Sends a request, says how the receiver responded, and shows it in the list. */
export function useSend(request: () => Promise<Delivery>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: request,
    onSuccess: async (delivery) => {
      await queryClient.invalidateQueries({ queryKey: [WEBHOOKS_KEY] });
      if (delivery.outcome === "delivered") showSuccess(`The receiver accepted it: ${responseOf(delivery)}.`);
      else showError(new Error(`The receiver did not accept it: ${responseOf(delivery)}.`));
    },
    onError: showError,
  });
}
