import { type EntityManager } from 'typeorm';

/** Handlers of a module that references custom fields, in the transaction that removes one or some of its items; no new references are possible. */
export interface CustomFieldReferences {
  /** Removes the values of a field, except items. */
  removeValues: (manager: EntityManager, fieldId: number) => Promise<void>;
  /** Removes references to items of a field. */
  removeItems: (manager: EntityManager, itemIds: readonly number[]) => Promise<void>;
}
