import { childOf } from '../projects/project-resource';
import { PullRequestResolver, type PullRequestSubject } from './pull-request.resolver';

/** A file of a pull request that the path names, and the pull request. */
export interface PullRequestAttachmentSubject extends PullRequestSubject {
  attachmentId: number;
}

/** Finds the file of `…/pullRequests/{number}/attachments/{attachmentId}`. */
export const PullRequestAttachmentResolver = childOf<PullRequestSubject, PullRequestAttachmentSubject>(
  PullRequestResolver,
  { parameter: 'attachmentId', what: 'attachment' },
  async (dataSource, pullRequest, attachmentId) => {
    const rows = await dataSource.query<unknown[]>(
      'SELECT attachment_id FROM pull_request_attachment WHERE pull_request_id = ? AND attachment_id = ?',
      [pullRequest.id, attachmentId],
    );
    return rows.length > 0 ? { ...pullRequest, attachmentId } : undefined;
  },
);
