import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, updateRow } from '../../database/sql/rows';
import { type EntityRunner, lockRow } from '../../database/sql/statements';
import { Space } from '../entities/space.entity';

const KEYS = [
  'spaceKey',
  'name',
  'ownerId',
  'lang',
  'timezone',
  'reportSendTime',
  'textFormattingRule',
  'created',
  'updated',
] as const;

/** The columns read of the space. */
export type SpaceRow = Pick<Space, (typeof KEYS)[number]>;

/** The columns read of the space for its notification. */
export type SpaceNotificationRow = Pick<
  Space,
  'spaceKey' | 'notification' | 'notificationUpdated' | 'created'
>;

/** Stores the space, the only row of `space`. */
@Injectable()
export class SpaceRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the space; undefined before the first start. */
  find(runner: EntityRunner = this.dataSource): Promise<SpaceRow | undefined> {
    return selectRow(runner, Space, KEYS, 'WHERE id = ?', [Space.ID]);
  }

  /** Returns the message to all users; undefined before the first start. */
  findNotification(runner: EntityRunner = this.dataSource): Promise<SpaceNotificationRow | undefined> {
    return selectRow(
      runner,
      Space,
      ['spaceKey', 'notification', 'notificationUpdated', 'created'],
      'WHERE id = ?',
      [Space.ID],
    );
  }

  updateNotification(manager: EntityManager, notification: string, updated: number): Promise<void> {
    return updateRow(manager, Space, Space.ID, { notification, notificationUpdated: updated });
  }

  async exists(runner: EntityRunner = this.dataSource): Promise<boolean> {
    return (await selectRow(runner, Space, ['id'], 'WHERE id = ?', [Space.ID])) !== undefined;
  }

  async insert(manager: EntityManager, space: Omit<Partial<Space>, 'id'>): Promise<void> {
    await insertRow(manager, Space, { id: Space.ID, ...space });
  }

  /** Locks the row until the transaction ends. */
  async lock(manager: EntityManager): Promise<void> {
    await lockRow(manager, 'space', Space.ID);
  }

  /** Replaces the owner of the space if it is `ownerId`. */
  async replaceOwner(
    manager: EntityManager,
    ownerId: number,
    heirId: number,
    updated: number,
  ): Promise<void> {
    await manager.query('UPDATE space SET owner_id = ?, updated = ? WHERE id = ? AND owner_id = ?', [
      heirId,
      updated,
      Space.ID,
      ownerId,
    ]);
  }
}
