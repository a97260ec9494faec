import { type Request } from 'express';

/** The languages of the pages, the default first. */
const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Texts of pages in each language. */
export type InLanguages<Texts> = Readonly<Record<Language, Texts>>;

/** Returns the language that a browser prefers. */
export function languageOf(request: Request): Language {
  const accepted = request.acceptsLanguages(...LANGUAGES);
  return LANGUAGES.find((language) => language === accepted) ?? LANGUAGES[0];
}
