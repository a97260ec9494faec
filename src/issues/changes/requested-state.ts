import { type AddIssueDto } from '../dto/add-issue.dto';
import { type UpdateIssueDto } from '../dto/update-issue.dto';
import { type IssueState } from '../issue-fields';

/** Returns the initial state of the issue that a request adds. */
export const newState = (
  body: AddIssueDto,
  { issueTypeId, statusId }: Pick<IssueState, 'issueTypeId' | 'statusId'>,
): IssueState => ({
  summary: body.summary,
  description: body.description,
  issueTypeId,
  statusId,
  priorityId: body.priorityId,
  resolutionId: null,
  assigneeId: body.assigneeId ?? null,
  parentIssueId: body.parentIssueId ?? null,
  startDate: body.startDate ?? null,
  dueDate: body.dueDate ?? null,
  estimatedHours: body.estimatedHours ?? null,
  actualHours: body.actualHours ?? null,
  categoryIds: ascending(body.categoryId),
  versionIds: ascending(body.versionId),
  milestoneIds: ascending(body.milestoneId),
});

/** Returns the state of an issue after an update. */
export const updatedState = (
  before: IssueState,
  body: UpdateIssueDto,
  resolved: { issueTypeId?: number; statusId?: number },
): IssueState => ({
  summary: body.summary ?? before.summary,
  description: body.description ?? before.description,
  issueTypeId: resolved.issueTypeId ?? before.issueTypeId,
  statusId: resolved.statusId ?? before.statusId,
  priorityId: body.priorityId ?? before.priorityId,
  resolutionId: given(body.resolutionId, before.resolutionId),
  assigneeId: given(body.assigneeId, before.assigneeId),
  parentIssueId: given(body.parentIssueId, before.parentIssueId),
  startDate: given(body.startDate, before.startDate),
  dueDate: given(body.dueDate, before.dueDate),
  estimatedHours: given(body.estimatedHours, before.estimatedHours),
  actualHours: given(body.actualHours, before.actualHours),
  categoryIds: body.categoryId ? ascending(body.categoryId) : before.categoryIds,
  versionIds: body.versionId ? ascending(body.versionId) : before.versionIds,
  milestoneIds: body.milestoneId ? ascending(body.milestoneId) : before.milestoneIds,
});

/** Returns the new value of a clearable field: null clears it, undefined leaves it unchanged. */
const given = <Value>(value: Value | null | undefined, before: Value | null): Value | null =>
  value === undefined ? before : value;

const ascending = (ids: readonly number[]): number[] => [...ids].sort((one, other) => one - other);
