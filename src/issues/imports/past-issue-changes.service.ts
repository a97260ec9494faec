import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { pastChangeOf } from '../../access/past-change';
import { PastChangesService } from '../../users/past-changes.service';
import { IssueRepository } from '../data/issue.repository';
import { toIssueKey } from '../issue.mapper';

/** Records past changes of issues in the audit log. */
@Injectable()
export class PastIssueChangesService {
  constructor(
    private readonly issues: IssueRepository,
    private readonly changes: PastChangesService,
  ) {}

  /** Records the past change of a transaction; nothing for a change of today. */
  async record(
    manager: EntityManager,
    action: 'issue.import' | 'issue.importUpdate',
    { id, projectId, summary }: { id: number; projectId: number; summary: string },
  ): Promise<void> {
    if (!pastChangeOf(manager)) return;
    const [key] = await this.issues.findKeys([id], manager);
    const name = key ? `${toIssueKey(key)} ${summary}` : summary;
    await this.changes.record(manager, { action, subject: { id, name }, projectId });
  }
}
