/** Milliseconds since 1970 as the wire's `yyyy-MM-ddTHH:mm:ssZ` (decisions, section 4). */
export const toTimestamp = (milliseconds: number): string =>
  `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
