/** The usual techniques that the service avoids, each of which a variant can restore. */
export const IDIOMS = {
  messages: "Node's own message classes",
  reply: 'an interceptor and `ExpressAdapter.reply`',
  router: "Express's router",
  reading: 'body-parser and `ValidationPipe`',
  runner: 'a query runner for each read',
} as const;

export type Idiom = keyof typeof IDIOMS;

/** The idioms that each measured server restores. */
export const VARIANTS = {
  service: [],
  messages: ['messages'],
  reply: ['reply'],
  router: ['router'],
  reading: ['reading'],
  runner: ['runner'],
  all: ['messages', 'reply', 'router', 'reading', 'runner'],
} as const satisfies Record<string, readonly Idiom[]>;

export type VariantName = keyof typeof VARIANTS;
export const VARIANT_NAMES = Object.keys(VARIANTS) as VariantName[];
