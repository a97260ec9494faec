import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CommentsService } from '../../comments/comments.service';
import { type UserDto } from '../../users/dto/user.dto';
import { UsersService } from '../../users/users.service';
import { type IssueResource } from '../issue.loader';

export const MAX_PARTICIPANTS = 1000;

/** Who takes part in an issue. */
@Injectable()
export class IssueParticipantsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly comments: CommentsService,
    private readonly users: UsersService,
  ) {}

  /** Who added the issue, who is to do it and who has commented, by id. */
  async list(issue: IssueResource): Promise<UserDto[]> {
    const rows = await this.dataSource.query<{ createdUserId: number; assigneeId: number | null }[]>(
      'SELECT created_user_id AS createdUserId, assignee_id AS assigneeId FROM issue WHERE id = ?',
      [issue.id],
    );
    const own = rows.flatMap(({ createdUserId, assigneeId }) => [createdUserId, assigneeId ?? createdUserId]);
    const commenters = await this.comments.listAuthorIds(issue.threadId, MAX_PARTICIPANTS);
    const ids = [...new Set([...own, ...commenters])].slice(0, MAX_PARTICIPANTS);
    const users = await this.users.findByIds(ids);
    return ids.sort((one, other) => one - other).flatMap((id) => users.get(id) ?? []);
  }
}
