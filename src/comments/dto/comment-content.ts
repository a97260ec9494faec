import { TextField } from '../../http/request/fields';

/** Declares the text of a comment in any request (`docs/decisions/0005-requests.md`). */
export const CommentContentField = (): PropertyDecorator =>
  TextField({
    description: 'The text of the comment.',
    min: 1,
    max: 50_000,
    notBlank: true,
    example: 'Works on the release branch, too.',
  });
