import { Matches } from 'class-validator';
import { field, type FieldOptions } from '../../http/request/field';

/** A name of only digits would be an id in a path, and `.git` is already appended in addresses. */
const NAME = /^(?![0-9]+$)(?!.*\.git$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

/** The name of a git repository, trimmed. */
export const RepositoryNameField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    normalize: (value) => (value as string).trim(),
    schema: { type: 'string', maxLength: 100, pattern: NAME.source },
    message:
      'must be at most 100 letters, digits, underscores, dots and dashes, start with a letter or a digit, and be neither ' +
      'all digits nor end in .git',
    rules: (message) => [Matches(NAME, message)],
  });
