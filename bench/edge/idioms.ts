/** The usual ways that the service departs from, each of which a variant can put back. */
export const IDIOMS = {
  messages: "Node's own message classes",
  reply: 'an interceptor and `ExpressAdapter.reply`',
  router: "Express's router",
  reading: 'body-parser and `ValidationPipe`',
  runner: 'a query runner for each read',
} as const;

export type Idiom = keyof typeof IDIOMS;

/** Which idioms each server that is measured puts back. */
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
