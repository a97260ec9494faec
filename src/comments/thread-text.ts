/**
 * A condition that a comment of a thread meets a condition on its text, for others to search by.
 * @param threadId the column that names the thread
 * @param condition of the text, which is `c.content`
 */
export const hasComment = (threadId: string, condition: string): string =>
  `EXISTS (SELECT 1 FROM comment c WHERE c.thread_id = ${threadId} AND ${condition})`;
