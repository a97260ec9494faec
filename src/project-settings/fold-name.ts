/**
 * A name as it is compared: without regard to case, the same on every database (`docs/decisions/0005-requests.md`). Going
 * down and then up meets Unicode's full case folding, such as ß = SS and ẞ = ss; only the dotless ı, which folds to itself,
 * must stay.
 */
export const foldName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^ı]+/g, (part) => part.toUpperCase());
