import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRows } from '../../database/rows';
import { type EntityRunner } from '../../database/statements';
import { GitPush } from '../entities/git-push.entity';
import { GitRef } from '../entities/git-ref.entity';

/** The rows of pushes that may have been accepted, and of the refs that have been recorded. */
@Injectable()
export class GitPushRepository {
  constructor(private readonly dataSource: DataSource) {}

  insert(manager: EntityManager, push: Omit<GitPush, 'id'>): Promise<number> {
    return insertRow(manager, GitPush, push);
  }

  findOfRepository(repositoryId: number, runner: EntityRunner = this.dataSource): Promise<GitPush[]> {
    return selectRows(
      runner,
      GitPush,
      ['id', 'repositoryId', 'userId', 'updates', 'created'],
      'WHERE repository_id = ? ORDER BY id',
      [repositoryId],
    );
  }

  findRefs(
    repositoryId: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<Pick<GitRef, 'name' | 'hash'>[]> {
    return selectRows(runner, GitRef, ['name', 'hash'], 'WHERE repository_id = ?', [repositoryId]);
  }
}
