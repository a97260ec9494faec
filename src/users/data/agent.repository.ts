import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { readLastId } from '../../database/schema/last-id';
import { insertRow, selectRows } from '../../database/sql/rows';
import { type EntityRunner, inList, isEmbedded } from '../../database/sql/statements';
import { AgentRecord } from '../entities/agent.entity';

/** Repository of agents. */
@Injectable()
export class AgentRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the agents of keys. */
  findByKeyIds(keyIds: readonly number[], runner: EntityRunner = this.dataSource): Promise<AgentRecord[]> {
    const list = inList(keyIds);
    const keys = ['keyId', 'name', 'keyName'] as const;
    return selectRows(runner, AgentRecord, keys, `WHERE key_id ${list.sql}`, list.parameters);
  }

  async insert(manager: EntityManager, agent: AgentRecord): Promise<void> {
    await insertRow(manager, AgentRecord, agent);
  }

  /** Returns the last id that a key or an agent has had. */
  async findLastKeyId(manager: EntityManager): Promise<number> {
    const generated = await readLastId(manager, 'api_key', isEmbedded(manager.dataSource));
    const [row] = await manager.query<[{ id: number | string | null }]>(
      'SELECT MAX(key_id) AS id FROM agent',
    );
    return Math.max(generated ?? 0, Number(row.id ?? 0));
  }

  /** Adds a key that nobody has with an id, and removes it again: the next keys have larger ids. */
  async reserveKeys(manager: EntityManager, id: number): Promise<void> {
    await manager.query(
      `INSERT INTO api_key (id, user_id, name, key_hash, created) SELECT ?, MIN(id), '', ?, 0 FROM user`,
      [id, `reserved ${id}`],
    );
    await manager.query('DELETE FROM api_key WHERE id = ?', [id]);
  }
}
