import { ISSUE_FIELDS } from '../../issues/issue-fields';
import { LETTER_TEXTS } from './letter-texts';

/** Fields of change logs beside those of issues. */
const OTHER_FIELDS = ['attachment', 'sharedFile', 'commit', 'base', 'branch', 'dependentIssue', 'assignee'];

/** Returns every text, with a Japanese word for each parameter. */
const textsOf = (value: unknown): string[] => {
  if (typeof value === 'function') return [(value as (...words: string[]) => string)('語', '語', '語')];
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(textsOf)
    : [String(value)];
};

describe('a text of letters', () => {
  it('contains no English words in Japanese', () => {
    const found = textsOf(LETTER_TEXTS.ja).filter((text) =>
      /[a-z]{2,}/i.test(text.replace(/Wiki|API|ID/g, '')),
    );
    expect(found).toEqual([]);
  });

  it('names every field that can change', () => {
    const names = [...Object.values(ISSUE_FIELDS).map(({ log }) => log), ...OTHER_FIELDS];
    for (const language of ['en', 'ja'] as const) {
      const unnamed = names.filter((name) => LETTER_TEXTS[language].fieldName(name) === name);
      expect(unnamed).toEqual([]);
    }
    expect(LETTER_TEXTS.ja.fieldName('constructor')).toBe('constructor');
  });
});
