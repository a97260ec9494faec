import { Injectable, type OnModuleInit } from '@nestjs/common';
import { NotificationSubjectsService } from '../notifications/notification-subjects.service';
import { StarSubjectsService } from '../stars/star-subjects.service';
import { withAllUsers } from '../users/without-users';
import { CommentsService } from './comments.service';
import { CommentThreadRepository } from './data/comment-thread.repository';

/** Registers the lookup of the threads that stars belong to, and of the comments shown in notifications. */
@Injectable()
export class CommentSubjectService implements OnModuleInit {
  constructor(
    private readonly stars: StarSubjectsService,
    private readonly notifications: NotificationSubjectsService,
    private readonly comments: CommentsService,
    private readonly threads: CommentThreadRepository,
  ) {}

  onModuleInit(): void {
    this.stars.registerThreads({
      findByComment: (commentId) => this.comments.findPlace(commentId),
      findStar: (caller, id) => this.threads.findStar(caller, id),
    });
    this.notifications.register('comment', async (ids, requester) =>
      withAllUsers(await this.comments.findByIds(ids, requester)),
    );
  }
}
