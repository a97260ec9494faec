import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type LinkedIssue } from '../activities/activity-content';
import { selectForUpdate } from '../database/statements';
import { ProjectSettingsService } from '../project-settings/project-settings.service';

/** So many of the issues that are changed are told of. */
const MAX_TOLD = 100;

/** Gives issues the substitute of an issue type or status that is removed; nothing else about them changes. */
@Injectable()
export class IssueSettingsListener implements OnModuleInit {
  constructor(private readonly settings: ProjectSettingsService) {}

  onModuleInit(): void {
    this.settings.onReplaced({
      replaceIssueType: (manager, _projectId, from, to) => replace(manager, 'issue_type_id', from, to),
      replaceStatus: (manager, _projectId, from, to) => replace(manager, 'status_id', from, to),
    });
  }
}

async function replace(
  manager: EntityManager,
  column: 'issue_type_id' | 'status_id',
  from: number,
  to: number,
): Promise<LinkedIssue[]> {
  const told = await selectForUpdate<Omit<LinkedIssue, 'comment'>>(
    manager,
    `SELECT id, key_id AS key_id, summary AS title FROM issue WHERE ${column} = ? ORDER BY id LIMIT ${MAX_TOLD}`,
    [from],
  );
  await manager.query(`UPDATE issue SET ${column} = ? WHERE ${column} = ?`, [to, from]);
  return told.map((issue) => ({ ...issue, comment: null }));
}
