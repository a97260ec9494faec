import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type EntityManager } from 'typeorm';
import { type Agent } from '../access/agent';
import { type EntityRunner } from '../database/sql/statements';
import { AgentRepository } from './data/agent.repository';

const CACHED_AGENTS = 1000;

/** A row that an agent may have written. */
interface WrittenRow {
  agentKeyId: number | null;
}

/** Returns the agent that has written a row; undefined if its user has. */
export type AgentFinder = (row: WrittenRow) => Agent | undefined;

const NO_AGENTS: AgentFinder = () => undefined;

/** Finds the agents that have written comments and other content, also after their keys have been revoked. */
@Injectable()
export class AgentsService {
  /** By the id of the key; an agent never changes. */
  private readonly known = new LRUCache<number, Agent>({ max: CACHED_AGENTS });

  constructor(private readonly agents: AgentRepository) {}

  /** Returns the last id that a key or an agent has had. */
  lastKeyId(manager: EntityManager): Promise<number> {
    return this.agents.findLastKeyId(manager);
  }

  /** Keeps ids up to this one from being given to keys: agents of an import have them (`docs/decisions/0069-imports.md`). */
  reserveKeys(manager: EntityManager, lastId: number): Promise<void> {
    return this.agents.reserveKeys(manager, lastId);
  }

  /** Returns the finder for these rows. Most have no agent, and cost nothing. */
  async findOf(rows: readonly WrittenRow[], runner?: EntityRunner): Promise<AgentFinder> {
    const keyIds = new Set<number>();
    for (const { agentKeyId } of rows) if (agentKeyId !== null) keyIds.add(agentKeyId);
    if (keyIds.size === 0) return NO_AGENTS;
    const found = new Map<number, Agent>();
    const unknown: number[] = [];
    for (const keyId of keyIds) {
      const agent = this.known.get(keyId);
      if (agent) found.set(keyId, agent);
      else unknown.push(keyId);
    }
    for (const agent of unknown.length === 0 ? [] : await this.agents.findByKeyIds(unknown, runner)) {
      this.known.set(agent.keyId, agent);
      found.set(agent.keyId, agent);
    }
    return ({ agentKeyId }) => (agentKeyId === null ? undefined : found.get(agentKeyId));
  }
}
