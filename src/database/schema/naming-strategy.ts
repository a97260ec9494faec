import { DefaultNamingStrategy, type NamingStrategyInterface, type Table } from 'typeorm';
import { snakeCase } from 'typeorm/util/StringUtils';

/**
 * Names columns in snake_case, those of relations too (`project` is `project_id`), and constraints after their table and columns
 * (`uq_project_project_key`), so that SQL is readable and a constraint error can be mapped by its name.
 */
export class NamingStrategy extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(propertyName: string, customName: string | undefined, prefixes: string[]): string {
    return snakeCase([...prefixes, customName ?? propertyName].filter(Boolean).join('_'));
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return snakeCase(`${relationName}_${referencedColumnName}`);
  }

  override primaryKeyName(table: Table | string): string {
    return `pk_${tableName(table)}`;
  }

  override uniqueConstraintName(table: Table | string, columnNames: string[]): string {
    return constraintName('uq', table, columnNames);
  }

  override foreignKeyName(table: Table | string, columnNames: string[]): string {
    return constraintName('fk', table, columnNames);
  }

  override indexName(table: Table | string, columnNames: string[]): string {
    return constraintName('ix', table, columnNames);
  }
}

const tableName = (table: Table | string): string =>
  (typeof table === 'string' ? table : table.name).split('.').pop() as string;

const constraintName = (prefix: string, table: Table | string, columnNames: string[]): string =>
  `${prefix}_${tableName(table)}_${columnNames.join('_')}`;
