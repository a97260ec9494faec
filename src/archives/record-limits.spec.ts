import fc from 'fast-check';
import { MAX_ISSUE_TEXT, MAX_TEXT } from '../custom-fields/custom-field-limits';
import { MAX_COMMENT_JSON, MAX_DOCUMENT_JSON } from '../documents/editor/editor-text.service';
import { recordKinds } from './record-kinds';
import { beginningOf, isArchivable, MAX_RECORD_BYTES } from './record-limits';

/** A control character takes this many bytes as JSON; no other takes more. */
const ESCAPED = 6;
const TEXT = 100_000;
const COMMENT = 50_000;
const NAME = 255;
/** JSON has no control characters; as a text, each of its characters takes at most four bytes. */
const OF_JSON = 4;
const IDS_OF_REQUEST = 1000;
const REVISIONS = 100;
/** Texts that are longer are records of their own. */
const INLINE = 1024;
/** A folder and a name in it. */
const PATH = 1298;
/** Files that one request links are a change of their own. */
const SHARED_FILES = IDS_OF_REQUEST * PATH * OF_JSON;
const FILES = IDS_OF_REQUEST * NAME * OF_JSON;
/** Fields of an issue, and custom fields, with two values each. */
const CHANGES = 2 * (20 + 100) * INLINE * ESCAPED;

/** The longest values, in bytes as JSON, of the fields whose columns have no length; of lists, those that one request can make. */
const LONGEST: Readonly<Record<string, number>> = {
  'gitRepository.description': TEXT * ESCAPED,
  'issueType.templateDescription': TEXT * ESCAPED,
  'version.description': TEXT * ESCAPED,
  'customField.description': TEXT * ESCAPED,
  'customField.settings': 1000,
  'webhook.description': TEXT * ESCAPED,
  'webhook.activityTypeIds': 1000,
  'issue.description': TEXT * ESCAPED,
  'pullRequest.description': TEXT * ESCAPED,
  'issueCustomField.textValue': MAX_TEXT * ESCAPED,
  'wiki.content': TEXT * ESCAPED,
  'wikiVersion.content': TEXT * ESCAPED,
  'document.json': MAX_DOCUMENT_JSON * OF_JSON,
  'document.plain': TEXT * ESCAPED,
  'comment.content': COMMENT * ESCAPED,
  // The description and the custom fields twice, and files with their names twice and people whom a comment tells.
  'comment.changeLog': Math.max(2 * (TEXT + MAX_ISSUE_TEXT) * ESCAPED + 3 * FILES, SHARED_FILES),
  'documentComment.json': MAX_COMMENT_JSON * OF_JSON,
  'activity.content': Math.max(2 * REVISIONS * INLINE * ESCAPED, CHANGES + FILES, SHARED_FILES),
  'activityText.text': TEXT * ESCAPED,
};
/** Names, colons, commas and numbers of a record. */
const REST = 2000;

describe('MAX_RECORD_BYTES', () => {
  it('is more than any record has that the service makes', async () => {
    for (const { name, fields } of await recordKinds()) {
      const texts = fields.filter(({ column, isJson }) => isJson || column.kind === 'text');
      const bytes = texts.map(({ name: field, maxLength }) =>
        maxLength === undefined ? (LONGEST[`${name}.${field}`] as number) : maxLength * ESCAPED,
      );
      expect
        .soft(
          bytes.reduce((sum, one) => sum + one, REST),
          name,
        )
        .toBeLessThanOrEqual(MAX_RECORD_BYTES);
    }
  });
});

describe('isArchivable', () => {
  it('counts the bytes of a record and its values', () => {
    const record = (text: string): string => JSON.stringify({ text });
    const room = MAX_RECORD_BYTES - record('').length;
    expect(isArchivable(record('a'.repeat(room)))).toBe(true);
    expect(isArchivable(record('a'.repeat(room + 1)))).toBe(false);
    expect(isArchivable(record('課'.repeat(Math.floor(room / 3))))).toBe(true);
    expect(isArchivable(record('課'.repeat(Math.floor(room / 3) + 1)))).toBe(false);
    expect(isArchivable(JSON.stringify(Array<[]>(20_000).fill([])))).toBe(true);
    expect(isArchivable(JSON.stringify(Array<[]>(30_000).fill([])))).toBe(false);
  });
});

describe('beginningOf', () => {
  it('returns a text that is short enough as it is', () => {
    expect(beginningOf('a "text"', 12)).toBe('a "text"');
  });

  it('returns the beginning of a longer text, without half of a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 60 }), (text, max) => {
        const beginning = beginningOf(text, max);
        expect(text.startsWith(beginning)).toBe(true);
        expect(beginning.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(JSON.stringify(beginning))).toBeLessThanOrEqual(max);
      }),
    );
  });

  it('keeps most of what has room', () => {
    expect(beginningOf('a'.repeat(1000), 102)).toHaveLength(100);
    expect(beginningOf('課'.repeat(1000), 302)).toHaveLength(100);
  });
});
