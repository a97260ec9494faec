import { Matches } from 'class-validator';
import { HasCharacters, IsCleanText } from '../../../http/request/field-rules';
import { field, type FieldOptions } from '../../../http/request/field';

/** Maximum length of a path in a request, in characters: more than a file system allows. */
const MAX_PATH = 4096;
/** A path in which no part is empty, `.` or `..`. */
const PATH = /^(?!.*(?:^|\/)\.{0,2}(?:\/|$))/s;
const PATH_OR_NOTHING = /^(?:$|(?!.*(?:^|\/)\.{0,2}(?:\/|$)))/s;

/** The path of a file or folder in a repository, without leading and trailing slashes; an optional one may be empty. */
export const RepositoryPathField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    normalize: (value) => (value as string).replace(/^\/|\/$/g, ''),
    schema: { type: 'string', maxLength: MAX_PATH },
    message: `must be a path of at most ${MAX_PATH} characters, no part of which is empty, a dot or two dots`,
    rules: (message) => [
      HasCharacters(0, MAX_PATH, message),
      IsCleanText(message),
      Matches(options.optional ? PATH_OR_NOTHING : PATH, message),
    ],
  });
