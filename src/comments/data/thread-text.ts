/**
 * Returns the SQL condition that some comment of a thread meets a condition on its text, for searches of other modules.
 * @param threadId the column with the thread's id
 * @param condition the condition on the text, `c.content`
 */
export const hasComment = (threadId: string, condition: string): string =>
  `EXISTS (SELECT 1 FROM comment c WHERE c.thread_id = ${threadId} AND ${condition})`;
