import { TextField } from '../../http/request/fields';

const options = {
  description: 'The content, in Markdown.',
  example: '# Releases\n\nOn **Mondays**.',
} as const;

/** Maximum length of a comment in characters, limited because all comments of a document are in one response. */
const MAX_COMMENT = 10_000;

/** Declares the text of a document. */
export const DocumentContentField = (): PropertyDecorator =>
  TextField({ ...options, max: 100_000, optional: true });

/** Declares the text of a comment on a document. */
export const DocumentCommentContentField = (): PropertyDecorator =>
  TextField({
    ...options,
    min: 1,
    max: MAX_COMMENT,
    notBlank: true,
    example: 'Why not on **Tuesdays**?',
  });
