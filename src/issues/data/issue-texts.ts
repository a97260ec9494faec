import { type DataSource } from 'typeorm';
import { hasComment } from '../../comments/data/thread-text';
import { contains } from '../../database/sql/contains';

/** A condition with its parameters. */
interface Condition {
  sql: string;
  parameters: string[];
}

/** Returns the condition that a word occurs in the summary or the description of an issue `i`. */
export function hasOwnText(dataSource: DataSource, word: string): Condition {
  const { sql: inSummary, parameter } = contains(dataSource, 'i.summary', word);
  const { sql: inDescription } = contains(dataSource, 'i.description', word);
  return { sql: `(${inSummary} OR ${inDescription})`, parameters: [parameter, parameter] };
}

/** Returns the condition that a word occurs in any text of an issue `i`, including its comments. */
export function hasText(dataSource: DataSource, word: string): Condition {
  const own = hasOwnText(dataSource, word);
  const { sql, parameter } = contains(dataSource, 'c.content', word);
  return {
    sql: `(${own.sql} OR ${hasComment('i.thread_id', sql)})`,
    parameters: [...own.parameters, parameter],
  };
}
