/**
 * An SQL condition: some comment of a thread meets a condition on its text. For searches of other modules.
 * @param threadId the column that holds the thread's id
 * @param condition on `c.content`, the text
 */
export const hasComment = (threadId: string, condition: string): string =>
  `EXISTS (SELECT 1 FROM comment c WHERE c.thread_id = ${threadId} AND ${condition})`;
