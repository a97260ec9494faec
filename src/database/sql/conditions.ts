import { inList } from './statements';

/** Collects the conditions of a WHERE clause and their parameters. */
export class Conditions {
  readonly parameters: unknown[] = [];
  private readonly parts: string[] = [];

  /** Adds a condition and the parameters for its placeholders. */
  add(sql: string, ...parameters: unknown[]): this {
    this.parts.push(sql);
    this.parameters.push(...parameters);
    return this;
  }

  /** Adds a condition unless its value is undefined. */
  addIf(value: unknown, sql: string): this {
    return value === undefined ? this : this.add(sql, value);
  }

  /** Adds the condition that a column equals one of the values. */
  in(column: string, values: readonly unknown[]): this {
    const list = inList(values);
    return this.add(`${column} ${list.sql}`, ...list.parameters);
  }

  /** Same as `in`, but adds nothing if the list is undefined or empty, which the family's clients send to mean no filter. */
  inIfAny(column: string, values: readonly unknown[] | undefined): this {
    return values === undefined || values.length === 0 ? this : this.in(column, values);
  }

  /** Adds all conditions of another collection. */
  and(others: Conditions): this {
    this.parts.push(...others.parts);
    this.parameters.push(...others.parameters);
    return this;
  }

  /** The `WHERE` clause, or an empty string if there are no conditions. */
  get where(): string {
    return this.parts.length === 0 ? '' : `WHERE ${this.parts.join(' AND ')}`;
  }
}
