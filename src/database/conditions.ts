import { inList } from './statements';

/** Conditions of a WHERE clause with their parameters, collected one by one. */
export class Conditions {
  readonly parameters: unknown[] = [];
  private readonly parts: string[] = [];

  /** Adds a condition whose placeholders the parameters fill. */
  add(sql: string, ...parameters: unknown[]): this {
    this.parts.push(sql);
    this.parameters.push(...parameters);
    return this;
  }

  /** Adds a condition unless its value is not given. */
  addIf(value: unknown, sql: string): this {
    return value === undefined ? this : this.add(sql, value);
  }

  /** The column is one of the values. */
  in(column: string, values: readonly unknown[]): this {
    const list = inList(values);
    return this.add(`${column} ${list.sql}`, ...list.parameters);
  }

  /** The same unless the list is not given or empty, which asks for nothing in the family's clients. */
  inIfAny(column: string, values: readonly unknown[] | undefined): this {
    return values === undefined || values.length === 0 ? this : this.in(column, values);
  }

  /** Adds all that others ask for. */
  and(others: Conditions): this {
    this.parts.push(...others.parts);
    this.parameters.push(...others.parameters);
    return this;
  }

  /** `WHERE …`, or nothing when there is no condition. */
  get where(): string {
    return this.parts.length === 0 ? '' : `WHERE ${this.parts.join(' AND ')}`;
  }
}
