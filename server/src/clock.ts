/** The one source of the time. Tests hand in their own. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
