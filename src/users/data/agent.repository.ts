import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRows } from '../../database/sql/rows';
import { type EntityRunner, inList } from '../../database/sql/statements';
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
}
