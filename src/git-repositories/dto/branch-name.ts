import { ValidateBy } from 'class-validator';
import { field, type FieldOptions } from '../../http/request/field';
import { BRANCHES, isRefName } from '../refs/ref-names';

const MAX_BYTES = 255 - BRANCHES.length;

/** The name of a branch, without `refs/heads/`. */
export const BranchField = (options: FieldOptions): PropertyDecorator =>
  field(options, {
    kind: 'string',
    schema: { type: 'string', minLength: 1, maxLength: MAX_BYTES },
    message: `must be a name that git accepts for a branch, of at most ${MAX_BYTES} bytes`,
    rules: (message) => [
      ValidateBy(
        {
          name: 'isBranchName',
          validator: { validate: (value) => typeof value === 'string' && isRefName(BRANCHES + value) },
        },
        message,
      ),
    ],
  });
