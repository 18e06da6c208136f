import type { Programs } from "../../domain/programs/program.ts";
import type { ProgramLimits } from "./throttle.ts";

/** The parts of the service that only signing in programs needs. */
export interface ProgramServices {
  /** The programs by id. */
  known: Programs;
  limits: ProgramLimits;
}
