import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRows, selectRow } from '../../database/sql/rows';
import { type EntityRunner, forWrite } from '../../database/sql/statements';
import { Icon } from '../entities/icon.entity';

/** The subject of an icon. */
export interface IconOwner {
  type: string;
  id: number;
}

/** Rows of `icon`. */
@Injectable()
export class IconRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the id of the file uploaded for a subject. */
  findFile(owner: IconOwner): Promise<number | undefined> {
    return this.find(this.dataSource, owner, '');
  }

  /** Returns and locks the same file for its removal, reading the current state whatever the transaction has read before. */
  findFileToRemove(manager: EntityManager, owner: IconOwner): Promise<number | undefined> {
    return this.find(manager, owner, forWrite(manager));
  }

  async insert(manager: EntityManager, { type, id }: IconOwner, attachmentId: number): Promise<void> {
    await insertRows(manager, Icon, [{ attachmentId, subjectType: type, subjectId: id }]);
  }

  async remove(manager: EntityManager, attachmentId: number): Promise<void> {
    await manager.query('DELETE FROM icon WHERE attachment_id = ?', [attachmentId]);
  }

  private async find(
    runner: EntityRunner,
    { type, id }: IconOwner,
    end: string,
  ): Promise<number | undefined> {
    const condition = `WHERE subject_type = ? AND subject_id = ?${end}`;
    return (await selectRow(runner, Icon, ['attachmentId'], condition, [type, id]))?.attachmentId;
  }
}
