/** Comments as `c`, for statements of modules that keep more about theirs. */
export const COMMENTS = 'comment c';
