import { WithPast } from '../../users/dto/past-change-fields';
import { UpdateIssueDto } from './update-issue.dto';

/** Body of `PATCH /issues/{issueIdOrKey}/import`. */
export class ImportIssueUpdateDto extends WithPast(UpdateIssueDto) {}
