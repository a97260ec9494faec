/** How texts are formatted. */
export const TEXT_FORMATS = ['textile', 'markdown'] as const;

/** A value of `TEXT_FORMATS`. */
export type TextFormat = (typeof TEXT_FORMATS)[number];
