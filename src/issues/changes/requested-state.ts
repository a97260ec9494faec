import { type AddIssueDto } from '../dto/add-issue.dto';
import { type UpdateIssueDto } from '../dto/update-issue.dto';
import {
  type IssueLists,
  type IssueState,
  type NewState,
  ROW_FIELDS,
  type RowField,
  type RowState,
} from '../issue-fields';

/** The fields of a body that set the state of an issue. */
type StateBody = Partial<RowState> &
  Pick<UpdateIssueDto, RowField | 'categoryId' | 'versionId' | 'milestoneId'>;

/** Returns the initial state of the issue that a request adds. */
export const newState = (body: AddIssueDto, statusId: number): NewState => ({
  ...requested(body),
  summary: body.summary,
  description: body.description,
  issueTypeId: body.issueTypeId,
  statusId,
});

/** Returns the state of an issue after an update. */
export const updatedState = (
  before: IssueState,
  body: UpdateIssueDto,
  resolved: { issueTypeId?: number; statusId?: number },
): IssueState => ({ ...before, ...requested({ ...body, ...resolved }) });

/** Returns the fields that a body contains; null clears a field. */
function requested(body: StateBody): Partial<IssueState> {
  const lists: { [Field in keyof IssueLists]: number[] | undefined } = {
    categoryIds: ascending(body.categoryId),
    versionIds: ascending(body.versionId),
    milestoneIds: ascending(body.milestoneId),
  };
  const values = [...ROW_FIELDS.map((field) => [field, body[field]]), ...Object.entries(lists)];
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Partial<IssueState>;
}

const ascending = (ids: readonly number[] | undefined): number[] | undefined =>
  ids && [...ids].sort((one, other) => one - other);
