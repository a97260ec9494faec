/**
 * A name as it is compared: without regard to case, the same on every database (decisions, section 3). Going down and then
 * up meets Unicode's full case folding, such as ß = SS and ẞ = ss.
 */
export const foldName = (name: string): string => name.trim().toLowerCase().toUpperCase();
