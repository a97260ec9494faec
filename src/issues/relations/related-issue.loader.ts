import { type AccessResource } from '../../access/access';
import { childOf } from '../../projects/project-resource';
import { isRelatedVisibly } from '../data/related-issue.repository';
import { IssueLoader, type IssueResource } from '../issue.loader';

/** An issue and a related issue that the path identifies. */
export interface RelatedIssueResource extends AccessResource {
  issueId: number;
  targetId: number;
}

/** Loads the related issue of `/issues/{issueIdOrKey}/relatedIssues/{targetIssueId}`, if the caller can see both. */
export const RelatedIssueLoader = childOf<IssueResource, RelatedIssueResource>(
  IssueLoader,
  { parameter: 'targetIssueId', what: 'related issue' },
  async (dataSource, { id: issueId }, targetId, caller) =>
    (await isRelatedVisibly(dataSource, caller, issueId, targetId)) ? { issueId, targetId } : undefined,
);
