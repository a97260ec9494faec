import { type DataSource } from 'typeorm';
import { hasComment } from '../../comments/thread-text';
import { contains } from '../../database/contains';

/** A condition with its parameters. */
interface Condition {
  sql: string;
  parameters: string[];
}

/** A condition on an issue `i`: a word occurs in its summary or its description. */
export function hasOwnText(dataSource: DataSource, word: string): Condition {
  const { sql: inSummary, parameter } = contains(dataSource, 'i.summary', word);
  const { sql: inDescription } = contains(dataSource, 'i.description', word);
  return { sql: `(${inSummary} OR ${inDescription})`, parameters: [parameter, parameter] };
}

/** The same for any text of the issue, those of its comments among them. */
export function hasText(dataSource: DataSource, word: string): Condition {
  const own = hasOwnText(dataSource, word);
  const { sql, parameter } = contains(dataSource, 'c.content', word);
  return {
    sql: `(${own.sql} OR ${hasComment('i.thread_id', sql)})`,
    parameters: [...own.parameters, parameter],
  };
}
