import { ApiProperty } from '@nestjs/swagger';

/** The commits of the examples. */
export const EXAMPLE_COMMIT = '0f6f5c0f3b7b0a1f3c8c2b5a9b6f0d6f2d3b5b1e';
export const EXAMPLE_PARENT = '7c1b6e0d9d1c9b1f8c2a4d5e6f708192a3b4c5d6';
/** A file of the examples. */
export const EXAMPLE_BLOB = 'e2f1c1a0f6f5c0f3b7b0a1f3c8c2b5a9b6f0d6f2';

/** The hash of an object in a response. */
export const HashProperty = (
  options: { description?: string; nullable?: true; example?: string | null } = {},
): PropertyDecorator =>
  ApiProperty({ type: 'string', pattern: '^[0-9a-f]{40}$', example: EXAMPLE_COMMIT, ...options });
