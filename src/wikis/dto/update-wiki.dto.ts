import { PartialDto } from '../../http/request/partial-dto';
import { AddWikiDto } from './add-wiki.dto';

/** What to change of a wiki page. */
export class UpdateWikiDto extends PartialDto(AddWikiDto, { omit: ['projectId'] }) {}
