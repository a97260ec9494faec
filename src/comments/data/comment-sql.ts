/** Comments as `c`, for statements of modules that store more about their comments. */
export const COMMENTS = 'comment c';
