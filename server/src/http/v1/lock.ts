import { authenticateLegacy, type LegacyAuthentication } from "../../keys/authenticate-legacy.ts";
import { apikeyParameter } from "../credentials.ts";
import { sendError } from "../errors.ts";
import type { Admission, Lock } from "../guard.ts";
import type { LegacyRoute, Parts } from "../route.ts";

/** RFC 9110 wants a challenge on every 401, and no registered scheme is a query parameter. */
const CHALLENGE = 'ApiKey realm="dbdepot"';

/** Opens for legacy keys. Headers are not looked at: v1 knows the `apikey` parameter alone. */
export function legacyLock(route: LegacyRoute, parts: Parts): Lock {
  return {
    try(request, reply, now) {
      const presented = apikeyParameter(request.query);
      const found = authenticateLegacy(parts.register, presented);
      return found instanceof Promise ? found.then(admit) : admit(found);

      function admit(found: LegacyAuthentication): Admission {
        if (found.key) {
          request.legacyKey = found.key;
          return { key: found.key };
        }
        const refuse = () => sendError(reply.header("www-authenticate", CHALLENGE), "INVALID_APIKEY");
        const answer = () => route.onUnauthorized?.(parts, request, found, now).then(refuse) ?? refuse();
        return { problem: found.problem, answer };
      }
    },
  };
}
