/** The only source of the time. Tests pass in their own. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
