import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';

/** For paths that name no project, and that administrators of any project may call: tells who is one. */
@Injectable()
export class AnyProjectLoader implements ResourceLoader {
  constructor(private readonly dataSource: DataSource) {}

  async load(_parameters: PathParameters, caller: Caller): Promise<AccessResource> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT m.project_id FROM project_member m JOIN project p ON p.id = m.project_id
        WHERE m.user_id = ? AND m.project_administrator = 1 AND p.deleted = 0 LIMIT 1`,
      [caller.id],
    );
    return { isProjectAdministrator: rows.length > 0 };
  }
}
