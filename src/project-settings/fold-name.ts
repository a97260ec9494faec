/**
 * Folds a name for comparison without regard to case, the same on every database (`docs/decisions/0005-requests.md`).
 * Lowercasing and then uppercasing matches Unicode's full case folding, such as ß = SS and ẞ = ss; only the dotless ı, which
 * folds to itself, must be kept.
 */
export const foldName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^ı]+/g, (part) => part.toUpperCase());
