import { ApiProperty } from '@nestjs/swagger';

/** Commits of the examples. */
export const EXAMPLE_COMMIT = 'efc3b0ca3aa96af9205553a402189eccadc09aa5';
export const EXAMPLE_PARENT = '7c1b6e0d9d1c9b1f8c2a4d5e6f708192a3b4c5d6';
/** A file of the examples. */
export const EXAMPLE_BLOB = '0805455a24b6c68fbc38d0fa5d121f735984285d';

/** The hash of an object in a response. */
export const HashProperty = (
  options: { description?: string; nullable?: true; example?: string | null } = {},
): PropertyDecorator =>
  ApiProperty({ type: 'string', pattern: '^[0-9a-f]{40}$', example: EXAMPLE_COMMIT, ...options });
