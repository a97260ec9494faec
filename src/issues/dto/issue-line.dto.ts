import { type IssueDto } from './issue.dto';

/** What a list for people shows of an issue; no operation responds with it. */
export interface IssueLineDto extends Pick<
  IssueDto,
  'projectId' | 'issueKey' | 'summary' | 'assignee' | 'updated'
> {
  /** The name of the status. */
  status: string;
}
