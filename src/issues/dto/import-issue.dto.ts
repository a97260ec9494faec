import { WithPast } from '../../users/dto/past-change-fields';
import { AddIssueDto } from './add-issue.dto';

/** Body of `POST /issues/import`. */
export class ImportIssueDto extends WithPast(AddIssueDto) {}
