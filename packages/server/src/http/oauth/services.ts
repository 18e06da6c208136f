import type { Programs } from "../../domain/sign-ins/program.ts";
import type { SignInLimits } from "./throttle.ts";

/** The parts of the service that only signing in programs needs. */
export interface SignInServices {
  programs: Programs;
  limits: SignInLimits;
}
